#include "shared/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace terrane {

void assertion_failed(const char* file, int line, const char* condition, const char* note) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s%s%s\n", file, line, condition,
                 *note != '\0' ? ": " : "", note);
    std::fflush(stderr);
    std::abort();
}

}  // namespace terrane
