#include "client-stub/session/zone_info.h"

#include <utility>

#include "shared/protocol/wire_types.h"

namespace terrane {
namespace {

std::string to_string(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

BodyShape to_body_shape(wire::KindShape shape) {
    switch (shape) {
        case wire::KindShape::player:
            return BodyShape::player;
        case wire::KindShape::box:
            return BodyShape::box;
        case wire::KindShape::sphere:
            return BodyShape::sphere;
        case wire::KindShape::cylinder:
            return BodyShape::cylinder;
        case wire::KindShape::capsule:
            return BodyShape::capsule;
        case wire::KindShape::piece:
            return BodyShape::piece;
    }
    return BodyShape::box;
}

BodyKind to_body_kind(const wire::Kind& kind) {
    BodyKind body;
    body.name = to_string(kind.name());
    body.shape = to_body_shape(kind.shape());
    body.half_extents = from_wire(*kind.half_extents());
    body.red = kind.red();
    body.green = kind.green();
    body.blue = kind.blue();
    body.is_static = kind.is_static();
    body.mass_kg = kind.mass_kg();
    if (kind.seats() != nullptr) {
        for (const wire::Vec3f* seat : *kind.seats()) {
            body.seats.push_back(from_wire(*seat));
        }
    }
    return body;
}

}  // namespace

Daytime to_daytime(const wire::Sky& sky) {
    return {
        .tick = sky.tick(), .day_fraction = sky.day_fraction(), .day_length_s = sky.day_length_s()};
}

ZoneInfo to_zone_info(const wire::Welcome& welcome) {
    ZoneInfo zone;
    zone.server_version = to_string(welcome.server_version());
    zone.player_id = welcome.player_id();
    zone.tick = welcome.tick();
    zone.tick_rate_hz = welcome.tick_rate_hz();
    zone.substeps_per_tick = welcome.substeps_per_tick();
    zone.bounds = {from_wire(*welcome.bounds_min()), from_wire(*welcome.bounds_max())};
    zone.view_chunks = welcome.view_chunks();
    zone.reach_m = welcome.reach_m();
    zone.brush_radius_max = welcome.brush_radius_max();
    zone.edits_per_s = welcome.edits_per_s();
    zone.edits_burst = welcome.edits_burst();
    for (const wire::Material* material : *welcome.materials()) {
        zone.materials.push_back({.name = to_string(material->name()),
                                  .red = material->red(),
                                  .green = material->green(),
                                  .blue = material->blue(),
                                  .friction = 0.8F,
                                  .can_place = material->can_place(),
                                  .density_kg_m3 = material->density_kg_m3()});
    }
    for (const wire::Kind* kind : *welcome.kinds()) {
        zone.kinds.push_back(to_body_kind(*kind));
    }
    zone.motion = from_wire(*welcome.motion());
    zone.daytime = to_daytime(*welcome.sky());
    return zone;
}

}  // namespace terrane
