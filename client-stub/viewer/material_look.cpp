#include "client-stub/viewer/material_look.h"

#include <array>
#include <string_view>

namespace terrane {

namespace {

struct NamedLook {
    std::string_view part;  ///< of the material's name
    float contrast;
    float strata;
    float grain_m;
    float bump;
    float meadow;
};

constexpr std::array<NamedLook, 12> kLooks{{
    {"grass", 0.55F, 0.0F, 0.30F, 0.45F, 1.0F},
    {"sand", 0.16F, 0.0F, 0.22F, 0.18F, 0.0F},
    {"rock", 0.50F, 0.55F, 0.75F, 1.0F, 0.0F},
    {"stone", 0.50F, 0.55F, 0.75F, 1.0F, 0.0F},
    {"granite", 0.60F, 0.2F, 0.35F, 0.9F, 0.0F},
    {"dirt", 0.45F, 0.12F, 0.40F, 0.7F, 0.0F},
    {"soil", 0.45F, 0.12F, 0.40F, 0.7F, 0.0F},
    {"clay", 0.25F, 0.25F, 0.80F, 0.4F, 0.0F},
    {"gravel", 0.70F, 0.0F, 0.20F, 0.8F, 0.0F},
    {"snow", 0.07F, 0.0F, 0.60F, 0.15F, 0.0F},
    {"wood", 0.40F, 0.8F, 0.35F, 0.4F, 0.0F},
    {"brick", 0.30F, 0.9F, 0.40F, 0.5F, 0.0F},
}};

}  // namespace

MaterialLook look_of(const Material& material) {
    MaterialLook look;
    look.colour = {material.red, material.green, material.blue};
    for (const NamedLook& named : kLooks) {
        if (material.name.find(named.part) != std::string::npos) {
            look.contrast = named.contrast;
            look.strata = named.strata;
            look.grain_m = named.grain_m;
            look.bump = named.bump;
            look.meadow = named.meadow;
            break;
        }
    }
    return look;
}

std::vector<Vec4> look_table(const MaterialTable& materials) {
    std::vector<Vec4> texels;
    for (const Material& material : materials) {
        const MaterialLook look = look_of(material);
        texels.emplace_back(look.colour, look.contrast);
        texels.emplace_back(look.strata, 1.0F / look.grain_m, look.bump, look.meadow);
    }
    return texels;
}

}  // namespace terrane
