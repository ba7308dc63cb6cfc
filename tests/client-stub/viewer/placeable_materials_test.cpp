#include "client-stub/viewer/placeable_materials.h"

#include <doctest/doctest.h>

#include <string>

#include "client-stub/viewer/zone_view.h"

using namespace terrane;

namespace {

MaterialTable some_materials() {
    MaterialTable materials(6);
    const char* names[] = {"air", "water", "bedrock", "rock", "lava", "sand"};
    for (std::size_t i = 0; i < materials.size(); ++i) {
        materials[i].name = names[i];
        materials[i].can_place = i == 3 || i == 5;
    }
    return materials;
}

}  // namespace

TEST_CASE("placeable_materials: by name, or by the window's digit") {
    const MaterialTable materials = some_materials();
    CHECK(placeable_materials(materials) == std::vector<MaterialId>{3, 5});
    CHECK(find_placeable(materials, "sand") == MaterialId{5});
    CHECK(find_placeable(materials, "1") == MaterialId{3});
    CHECK(find_placeable(materials, "2") == MaterialId{5});
    for (const char* bad : {"", "0", "3", "9", "12", "-1", "bedrock", "lava", "air", "Sand"}) {
        CAPTURE(bad);
        const auto refused = find_placeable(materials, bad);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().message.find("rock, sand") != std::string::npos);
    }
}

TEST_CASE("zone_view: every reason of a refusal is told in plain words") {
    CHECK(describe(wire::RejectReason::occupied) == "occupied (a player or a body is there)");
    for (const auto reason : wire::EnumValuesRejectReason()) {
        CHECK(describe(reason).find("does not know") == std::string::npos);
    }
}
