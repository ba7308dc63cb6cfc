// The zone's rules and tables, as Welcome tells them once.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/to_client_generated.h"
#include "shared/math/daylight.h"
#include "shared/motion/player_motion.h"
#include "shared/shape/body_kind.h"
#include "shared/voxel/voxel_grid.h"

namespace terrane {

struct ZoneInfo {
    std::string server_version;
    std::uint64_t player_id = 0;
    std::uint32_t tick = 0;  ///< when we were let in
    std::uint32_t tick_rate_hz = 20;
    std::uint32_t substeps_per_tick = 3;
    GridBounds bounds;
    std::uint8_t view_chunks = 0;
    float reach_m = 0.0F;
    std::uint8_t brush_radius_max = 0;
    float edits_per_s = 0.0F;
    std::uint8_t edits_burst = 0;
    MaterialTable materials;
    BodyKindTable kinds;
    MotionConfig motion;
    Daytime daytime;  ///< the newest: SkyChanged replaces it
};

ZoneInfo to_zone_info(const wire::Welcome& welcome);
Daytime to_daytime(const wire::Sky& sky);

}  // namespace terrane
