// The zone as a viewer sees it: a session, and from it the bodies, the player's eye and the chunks
// that changed, at the moment that is drawn. For everybody else that moment lies one tick behind
// the newest state, so that poses are interpolated between two that are known; the own player and
// the own edits are predicted (client-stub/session/prediction.h), drawn between the last two
// inputs. Who sits is drawn where the vehicle is drawn; who stands on a body, which is drawn as it
// was, is drawn on it and not where both will be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client-stub/session/client_session.h"
#include "client-stub/viewer/body_painter.h"
#include "client-stub/viewer/chunk_meshes.h"
#include "shared/core/clock.h"

namespace terrane {

class ZoneView {
  public:
    ZoneView(std::unique_ptr<ByteStream> stream, const std::string& name, std::uint8_t view_chunks,
             Nanoseconds now);

    /// Takes what has come. Fails with the reason once the session has ended.
    Result<void> receive(Nanoseconds now);
    /// Of the last receive(): our edits that are in the zone, and those it refused.
    const std::vector<OwnEdit>& own_edits() const { return own_edits_; }
    const std::vector<RefusedOwnEdit>& refused_edits() const { return refused_edits_; }
    const std::vector<ChatEvent>& chats() const { return chats_; }
    /// Welcomed, and the first state is here: everything below may be called.
    bool is_ready() const;
    /// Tells the meshes about every chunk that arrived, changed or left since the last call.
    void pass_changes(ChunkMeshes& meshes);
    /// No chunk has come for a second of the zone's ticks.
    bool is_settled() const;

    /// Sends input once for each client tick that has passed; `make_input` is asked for each.
    template <typename MakeInput>
    void send_inputs(Nanoseconds now, MakeInput make_input) {
        while (is_ready() && now >= next_input_) {
            newest_input_at_ = next_input_;
            next_input_ += tick_length();
            if (now - next_input_ > kInputsLateMax * tick_length()) {
                newest_input_at_ = next_input_ = now;  // after a stall: what was missed is gone
            }
            make_input(session_);
        }
    }

    /// Of the moment that is drawn.
    std::vector<VisibleBody> bodies(Nanoseconds now, bool has_own_body) const;
    Vec3 eye(Nanoseconds now) const;
    /// What edits are aimed from: where the zone will have us when they arrive.
    Vec3 aiming_eye() const;
    Vec3 sun_direction(Nanoseconds now) const;

    const Replica& replica() const { return *session_.replica(); }
    const ZoneInfo& zone() const { return replica().zone(); }
    const Prediction& prediction() const { return *session_.prediction(); }
    /// With the own edits that are on their way.
    const VoxelGrid& grid() const { return prediction().grid(); }
    void say(std::string_view text) { session_.say(text); }
    /// Of grid(). Colliders are made when asked for.
    Terrain& terrain() { return session_.prediction()->terrain(); }
    void show_debug(bool contacts, bool water) { session_.show_debug(contacts, water); }
    float view_distance_m() const;
    const ClientSession& session() const { return session_; }
    /// Nodes known around.
    std::size_t node_count() const;
    void quit(Nanoseconds now) { session_.quit(now); }

  private:
    static constexpr int kInputsLateMax = 4;

    Nanoseconds tick_length() const;
    /// 0 at the state before the newest, 1 at the newest.
    float part(Nanoseconds now) const;
    /// The zone's tick that is drawn.
    double drawn_tick(Nanoseconds now) const;
    /// Between the last two inputs.
    Vec3 own_foot(Nanoseconds now) const;
    Vec3 predicted_foot(Nanoseconds now) const;
    /// 0 at the input before the newest, 1 a tick after the newest was sent.
    float input_part(Nanoseconds now) const;
    /// From where the own player is predicted to its place on the body it stands on, as drawn.
    Vec3 way_to_carrier(Nanoseconds now) const;
    /// Of the seat that the own player sits on; false: it does not, or the vehicle is not in view.
    bool find_own_seat(Nanoseconds now, NodePose& pose) const;
    void add_props(std::vector<VisibleBody>& bodies) const;

    ClientSession session_;
    Nanoseconds next_input_{0};
    Nanoseconds newest_state_at_{0};
    std::uint32_t newest_tick_ = 0;
    std::uint32_t last_chunk_tick_ = 0;
    std::uint64_t chunks_received_ = 0;
    Nanoseconds newest_input_at_{0};
    Vec3 carrier_shift_{0.0F};  ///< follows way_to_carrier() softly
    Nanoseconds carrier_shift_at_{0};
    std::vector<OwnEdit> own_edits_;
    std::vector<RefusedOwnEdit> refused_edits_;
    std::vector<ChatEvent> chats_;
};

/// "occupied (a player or a body is there)"
std::string describe(wire::RejectReason reason);

}  // namespace terrane
