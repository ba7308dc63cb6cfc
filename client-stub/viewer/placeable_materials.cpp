#include "client-stub/viewer/placeable_materials.h"

#include <string>

namespace terrane {

std::vector<MaterialId> placeable_materials(const MaterialTable& materials) {
    std::vector<MaterialId> placeable;
    for (std::size_t id = kFirstSolid; id < materials.size(); ++id) {
        if (materials[id].can_place) {
            placeable.push_back(static_cast<MaterialId>(id));
        }
    }
    return placeable;
}

Result<MaterialId> find_placeable(const MaterialTable& materials, std::string_view text) {
    const std::vector<MaterialId> placeable = placeable_materials(materials);
    std::string known;
    for (const MaterialId id : placeable) {
        if (materials[id].name == text) {
            return id;
        }
        known += (known.empty() ? "" : ", ") + materials[id].name;
    }
    if (text.size() == 1 && text[0] >= '1' && text[0] <= '9') {
        const auto number = static_cast<std::size_t>(text[0] - '1');
        if (number < placeable.size()) {
            return placeable[number];
        }
    }
    return fail("'{}' is no material that may be placed here: {}, or its number, 1 to 9", text,
                known);
}

}  // namespace terrane
