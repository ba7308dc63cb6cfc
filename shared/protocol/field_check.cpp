#include "shared/protocol/field_check.h"

#include "shared/core/utf8.h"

namespace terrane {

void check_line(std::string_view field, const flatbuffers::String* text, std::size_t bytes_max,
                FieldCheck& check) {
    if (check.count(field, text, 0, bytes_max) && text != nullptr &&
        !is_plain_line(text->string_view())) {
        check.refuse("{}: must be UTF-8 without control characters", field);
    }
}

}  // namespace terrane
