#include "client-stub/viewer/zone_view.h"

#include <algorithm>
#include <cmath>

#include "shared/math/trig.h"

namespace terrane {

namespace {

ClientSessionConfig session_config(const std::string& name, std::uint8_t view_chunks) {
    ClientSessionConfig config;
    config.name = name;
    config.view_chunks = view_chunks;
    config.client_version = "terrane-viewer";
    config.is_predicting = true;
    return config;
}

/// Half of the way to the place on a carrier is made in this time: stepping on and off is smooth.
constexpr float kCarrierHalfS = 0.06F;
/// Farther away the carrier is drawn elsewhere for another reason.
constexpr float kCarrierShiftMaxM = 4.0F;
/// Of eye height, on a seat.
constexpr float kSeatedEye = 0.68F;

BodyRest rest_of(const ReplicaNode& node, BodyShape shape) {
    if (shape == BodyShape::player) {
        return BodyRest::player;
    }
    if (node.is_held) {
        return BodyRest::held;
    }
    return node.is_asleep ? BodyRest::asleep : BodyRest::awake;
}

const char* plain_reason(wire::RejectReason reason) {
    switch (reason) {
        case wire::RejectReason::none:
            return "no reason given";
        case wire::RejectReason::too_far:
            return "out of the player's reach";
        case wire::RejectReason::no_sight:
            return "something is in between";
        case wire::RejectReason::out_of_zone:
            return "outside of the zone";
        case wire::RejectReason::not_loaded:
            return "the zone has no ground loaded there";
        case wire::RejectReason::occupied:
            return "a player or a body is there";
        case wire::RejectReason::bad_material:
            return "this material may not be used so";
        case wire::RejectReason::bad_value:
            return "the zone does not allow such an edit";
        case wire::RejectReason::rate:
            return "too many edits in a short time";
        case wire::RejectReason::protected_area:
            return "the ground there may not be changed";
        case wire::RejectReason::stale:
            return "the ground had changed meanwhile";
    }
    return "for a reason this version does not know";
}

}  // namespace

std::string describe(wire::RejectReason reason) {
    return fmt::format("{} ({})", wire::EnumNameRejectReason(reason), plain_reason(reason));
}

ZoneView::ZoneView(std::unique_ptr<ByteStream> stream, const std::string& name,
                   std::uint8_t view_chunks, Nanoseconds now)
    : session_(std::move(stream), session_config(name, view_chunks), now), next_input_(now) {}

Result<void> ZoneView::receive(Nanoseconds now) {
    const SessionEvents& events = session_.receive(now);
    if (session_.is_left()) {
        return fail("{}{}", session_.leave_text(),
                    session_.leave_reason() == wire::LeaveReason::name_taken
                        ? ": choose another with --name"
                        : "");
    }
    own_edits_ = events.own_edits;
    refused_edits_ = events.refused_edits;
    chats_ = events.chats;
    if (!is_ready()) {
        next_input_ = now;
        return {};
    }
    const std::uint32_t tick = replica().tick();
    if (tick != newest_tick_) {
        newest_tick_ = tick;
        newest_state_at_ = now;
    }
    const float passed_s = std::chrono::duration<float>(now - carrier_shift_at_).count();
    carrier_shift_at_ = now;
    carrier_shift_ = glm::mix(way_to_carrier(now), carrier_shift_,
                              std::exp2(-std::max(passed_s, 0.0F) / kCarrierHalfS));
    const std::uint64_t chunks_received = replica().counters().chunks_received;
    if (chunks_received != chunks_received_ || last_chunk_tick_ == 0) {
        chunks_received_ = chunks_received;
        last_chunk_tick_ = tick;
    }
    return {};
}

bool ZoneView::is_ready() const {
    return session_.state() == ClientSessionState::playing && replica().has_state();
}

void ZoneView::pass_changes(ChunkMeshes& meshes) {
    if (!is_ready()) {
        return;
    }
    for (const ChangedChunk& change : session_.prediction()->take_changed_chunks()) {
        if (!grid().is_loaded(change.chunk)) {
            meshes.chunk_left(change.chunk);
        } else if (change.changed == box_of(change.chunk)) {
            meshes.chunk_arrived(grid(), change.chunk);
        } else {
            meshes.voxels_changed(change.changed);
        }
    }
}

bool ZoneView::is_settled() const {
    return is_ready() && replica().grid().chunk_count() > 0 &&
           newest_tick_ - last_chunk_tick_ >= zone().tick_rate_hz;
}

std::vector<VisibleBody> ZoneView::bodies(Nanoseconds now, bool has_own_body) const {
    std::vector<VisibleBody> bodies;
    const double tick = drawn_tick(now);
    NodePose pose;
    for (const ReplicaNode& node : replica().nodes()) {
        if (node.id != zone().player_id && replica().find_pose(node, tick, pose)) {
            bodies.push_back({node.id, node.kind, pose.position, pose.rotation, node.vehicle != 0,
                              rest_of(node, zone().kinds[node.kind].shape), Vec4{0.0F},
                              node.piece});
        }
    }
    if (has_own_body) {
        const bool is_seated = find_own_seat(now, pose);
        if (!is_seated) {
            pose = {own_foot(now), rotation_about(Vec3{0.0F, 1.0F, 0.0F}, prediction().own().yaw)};
        }
        bodies.push_back(
            {zone().player_id, 0, pose.position, pose.rotation, is_seated, BodyRest::player});
    }
    add_props(bodies);
    return bodies;
}

void ZoneView::add_props(std::vector<VisibleBody>& bodies) const {
    for (const auto& [chunk, props] : replica().props()) {
        for (const ReplicaProp& prop : props) {
            bodies.push_back(
                {0, prop.kind, prop.pose.position, prop.pose.rotation, false, BodyRest::fixed});
        }
    }
}

double ZoneView::drawn_tick(Nanoseconds now) const {
    return static_cast<double>(newest_tick_) - 1.0 + static_cast<double>(part(now));
}

bool ZoneView::find_own_seat(Nanoseconds now, NodePose& pose) const {
    const OwnSeat& seat = replica().own_seat();
    const ReplicaNode* vehicle = replica().find_node(seat.vehicle);
    NodePose vehicle_pose;
    if (vehicle == nullptr || !replica().find_pose(*vehicle, drawn_tick(now), vehicle_pose)) {
        return false;
    }
    pose = seat_pose(vehicle_pose, zone().kinds[vehicle->kind], seat.seat);
    return true;
}

Vec3 ZoneView::way_to_carrier(Nanoseconds now) const {
    const PlayerState& own = prediction().own();
    const ReplicaNode* carrier = replica().find_node(own.carrier);
    NodePose pose;
    if (carrier == nullptr || !replica().find_pose(*carrier, drawn_tick(now), pose)) {
        return Vec3{0.0F};
    }
    const PlayerState& before = prediction().own_before();
    const Vec3 point = before.carrier == own.carrier
                           ? glm::mix(before.carrier_point, own.carrier_point, input_part(now))
                           : own.carrier_point;
    const Vec3 way = pose.position + pose.rotation * point - predicted_foot(now);
    return glm::length(way) < kCarrierShiftMaxM ? way : Vec3{0.0F};
}

Vec3 ZoneView::own_foot(Nanoseconds now) const {
    return predicted_foot(now) + carrier_shift_;
}

float ZoneView::input_part(Nanoseconds now) const {
    return std::clamp(static_cast<float>((now - newest_input_at_).count()) /
                          static_cast<float>(tick_length().count()),
                      0.0F, 1.0F);
}

Vec3 ZoneView::predicted_foot(Nanoseconds now) const {
    return glm::mix(prediction().own_before().position, prediction().own().position,
                    input_part(now)) +
           prediction().picture_offset(now);
}

Vec3 ZoneView::eye(Nanoseconds now) const {
    const float eye_m = zone().motion.eye_height_m;
    NodePose seat;
    if (find_own_seat(now, seat)) {
        return seat.position + Vec3{0.0F, kSeatedEye * eye_m, 0.0F};
    }
    return own_foot(now) + Vec3{0.0F, eye_m, 0.0F};
}

Vec3 ZoneView::aiming_eye() const {
    return eye_position(prediction().own(), zone().motion);
}

Vec3 ZoneView::sun_direction(Nanoseconds now) const {
    return terrane::sun_direction(replica().day_fraction(drawn_tick(now)));
}

float ZoneView::view_distance_m() const {
    return static_cast<float>(std::max<int>(zone().view_chunks, 1) * kChunkSize);
}

std::size_t ZoneView::node_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        replica().nodes(), [](const ReplicaNode& node) { return node.id != 0; }));
}

Nanoseconds ZoneView::tick_length() const {
    return Nanoseconds(1'000'000'000 / std::max(zone().tick_rate_hz, 1U));
}

float ZoneView::part(Nanoseconds now) const {
    const auto length = static_cast<float>(tick_length().count());
    return std::clamp(static_cast<float>((now - newest_state_at_).count()) / length, 0.0F, 1.0F);
}

}  // namespace terrane
