// The solids near this session's player as motion wants them (shared/motion/motion_bodies.h): the
// replica's bodies at their newest poses, moved on by their own velocities to the moment that is
// predicted, and its props. Velocities are what the last two poses say; who sleeps has none.
#pragma once

#include <vector>

#include "client-stub/session/replica.h"
#include "shared/motion/motion_bodies.h"

namespace terrane {

/// Bodies are moved on no farther than this.
inline constexpr float kBodiesAheadMaxS = 0.25F;

/// Owner: Prediction. Thread: the session's.
class ReplicaBodies final : public MotionBodies {
  public:
    explicit ReplicaBodies(const Replica& replica) : replica_(replica) {}

    /// Looks at the replica again: what is within 16 m of `place`, and a body's own size more.
    /// Cost: a look at every node.
    void collect(const Vec3& place);
    /// Where collect() looked last.
    const Vec3& place() const { return place_; }
    /// Any but props.
    bool has_bodies() const { return prop_count_ < near_.size(); }
    /// From now on bodies are where they will be so long after the newest State.
    void set_seconds_ahead(float seconds);

    /// The zone says exactly where a rider of `id` stands; poses on the wire are rounded to
    /// millimetres. Puts the body where its rider's words agree: `foot` was on its point
    /// `carrier_point` a substep of `dt` before the newest State.
    void align(std::uint64_t id, const Vec3& foot, const Vec3& carrier_point, float dt);

    void gather(const Aabb& box, std::vector<MotionBody>& out) override;
    bool find(std::uint64_t id, MotionBody& out) override;

  private:
    void add_near(const MotionBody& body, const ReplicaPiece* piece);
    void collect_props(const Vec3& place);
    MotionBody* find_near(std::uint64_t id);

    const Replica& replica_;
    std::vector<MotionBody> near_;  ///< props, then bodies ascending by id
    std::size_t prop_count_ = 0;
    Vec3 place_{0.0F};
    float seconds_ahead_ = 0.0F;
};

/// What the last two poses of `node` say; zero if it did not move in `tick`.
void body_velocity(const ReplicaNode& node, std::uint32_t tick, std::uint32_t tick_rate_hz,
                   Vec3& linear, Vec3& angular);

}  // namespace terrane
