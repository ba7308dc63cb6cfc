// The own player and the own edits as they will be when the zone has run what was sent: inputs take
// effect at once, the zone's word comes later and decides.
//
//   tick      the input's edits become guesses (predicted_grid.h), then its motion runs with the
//             code and in the order of the zone; the result is kept until the zone has run it too
//   State     where the zone says we were after input `applied_input`. If that is what we had, and
//             the ground and the bodies around are what we thought, everything stands. If not, we
//             start again from there and replay the inputs that are on their way, with the ground
//             of then: guesses come back input by input
//
// What was predicted wrong is put right at once; the picture follows within 100 ms
// (picture_offset), so that small corrections are not seen. Far ones are jumps. Who sits moves with
// the vehicle: nothing is predicted, and the seat's pose is the vehicle's. A player held at the
// border of what has arrived is not compared: the zone may have let it go on.
//
// After Bernier, "Latency Compensating Methods in Client/Server In-game Protocol Design" (2001).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "client-stub/session/predicted_grid.h"
#include "client-stub/session/replica_bodies.h"
#include "shared/core/clock.h"
#include "shared/protocol/encode.h"

namespace terrane {

/// Inputs on their way; beyond that the oldest are forgotten.
inline constexpr std::size_t kPredictedInputsMax = 128;
inline constexpr float kCorrectionM = 0.001F;
inline constexpr Nanoseconds kSmoothing{100'000'000};

struct PredictionCounters {
    std::uint64_t inputs = 0;
    std::uint64_t replays = 0;
    std::uint64_t jumps = 0;        ///< put elsewhere: no correction
    std::uint64_t corrections = 0;  ///< by more than kCorrectionM
    float correction_m_max = 0.0F;
    float correction_m_sum = 0.0F;
    std::uint64_t inputs_forgotten = 0;
};

/// Owner: ClientSession. Thread: the session's.
class Prediction {
  public:
    /// `replica` outlives it, tracks changes, and gives them to nobody else.
    explicit Prediction(Replica& replica);

    /// The input that is being sent.
    void tick(std::uint32_t input, const PlayerControls& controls,
              std::span<const EditMessage> edits);
    /// The zone's answers to edits, as they come.
    void refuse(std::uint32_t edit) { grid_.refuse(edit); }
    void confirm(std::uint32_t edit, const ChunkCoord& chunk) { grid_.confirm(edit, chunk); }
    /// After all messages that have come: takes the replica's newest state.
    void reconcile(Nanoseconds now);

    /// After the newest input, and after the one before it.
    const PlayerState& own() const { return own_; }
    const PlayerState& own_before() const { return own_before_; }
    /// Add to own positions when they are drawn. Fades to zero.
    Vec3 picture_offset(Nanoseconds now) const;
    bool is_seated() const { return replica_.own_seat().vehicle != 0; }
    /// Inputs that the zone has not run, as far as we know.
    std::size_t inputs_waiting() const { return inputs_.size(); }

    const VoxelGrid& grid() const { return grid_.grid(); }
    /// Of grid(). Colliders are made when asked for.
    Terrain& terrain() { return grid_.terrain(); }
    std::size_t guess_count() const { return grid_.guess_count(); }
    std::vector<ChangedChunk> take_changed_chunks() { return grid_.take_changed_chunks(); }
    const PredictionCounters& counters() const { return counters_; }
    const GuessCounters& guesses() const { return grid_.counters(); }

  private:
    struct SentInput {
        std::uint32_t number = 0;
        PlayerControls controls;
        PlayerState after;
        bool is_held = false;
    };

    void run(SentInput& input, PlayerState& state, std::size_t inputs_before);
    void adopt_state(std::span<const VoxelBox> moved, Nanoseconds now);
    void replay();
    float substep_s() const;
    void correct(float distance_m, const Vec3& shift, Nanoseconds now);
    bool is_near_own(std::span<const VoxelBox> moved) const;

    Replica& replica_;
    PredictedGrid grid_;
    ReplicaBodies bodies_;
    MotionWorld motion_;
    std::deque<SentInput> inputs_;  ///< not yet run by the zone
    bool has_state_ = false;
    std::uint32_t state_tick_ = 0;
    PlayerState own_;
    PlayerState own_before_;
    Vec3 offset_{0.0F};
    Nanoseconds offset_since_{0};
    PredictionCounters counters_;
};

}  // namespace terrane
