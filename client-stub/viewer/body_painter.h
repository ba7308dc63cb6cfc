// Draws bodies, props and players by their kind, but no pieces (piece_painter.h): planks on crates,
// hoops on barrels, bark on logs, a face on players, so that a turning body is seen to turn. What
// has seats is an open boat; a tall, thin static cylinder is a trunk and gets a crown; a static
// ball is a boulder.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "client-stub/viewer/render_lists.h"
#include "client-stub/viewer/view_frame.h"
#include "shared/shape/body_kind.h"

namespace terrane {

struct ReplicaPiece;

/// Is it simulated, and does it move?
enum class BodyRest : std::uint8_t { fixed, player, awake, asleep, held };

/// A body as the picture needs it; `kind` is its index in the kind table.
struct VisibleBody {
    std::uint64_t id = 0;
    std::uint8_t kind = 0;
    Vec3 position{0.0F};  ///< zone space; of a player the foot
    Quat rotation = kNoRotation;
    bool is_seated = false;
    BodyRest rest = BodyRest::awake;
    Vec4 tint{0.0F};                              ///< laid over its own colours, by alpha
    std::shared_ptr<const ReplicaPiece> piece{};  ///< the voxels of a piece, else null
};

/// The size of the players' capsule.
struct PlayerSize {
    float radius_m = 0.35F;
    float height_m = 1.8F;
};

/// How a body's surface is drawn. By its kind's shape, and its name: a box called "stone" is no
/// crate.
enum class BodyLook : std::uint8_t { player, crate, ball, barrel, log, stone, boat, leaves };

BodyLook look_of(const BodyKind& kind);
/// A trunk that stands: it is drawn with a crown.
bool has_crown(const BodyKind& kind);
/// A colour of their own for players, by id.
Vec3 player_colour(std::uint64_t id);

/// What a body is drawn with; the shadow painter draws the same.
struct PlacedShape {
    const GlMesh* mesh = nullptr;
    Mat4 relative_model{1.0F};  ///< from the mesh to eye-relative metres, without the scale
    Vec3 scale{1.0F};
    Vec3 colour{0.5F};
    BodyLook look = BodyLook::crate;
    Vec4 tint{0.0F};
    Aabb box;  ///< zone space
};

class BodyPainter final : public Painter {
  public:
    static Result<BodyPainter> create();

    void set_kinds(const BodyKindTable& kinds, const PlayerSize& player);
    /// Pieces, and bodies of a kind that the table lacks, are left out.
    CullCounts collect(std::span<const VisibleBody> bodies, const ViewFrame& frame,
                       RenderLists& lists);
    /// All of the last collect(), in view or not.
    std::span<const PlacedShape> shapes() const { return shapes_; }

    void begin_painting() override;
    void paint(std::uint32_t index) override;

  private:
    explicit BodyPainter(GlProgram program);
    PlacedShape place(const VisibleBody& body, const Vec3& eye) const;
    PlacedShape place_crown(const VisibleBody& body, const Vec3& eye) const;
    const GlMesh& mesh_of(const VisibleBody& body) const;

    GlProgram program_;
    BodyKindTable kinds_;
    PlayerSize player_;
    std::array<GlMesh, kBodyShapes> meshes_;     ///< by BodyShape
    std::map<std::uint8_t, GlMesh> own_meshes_;  ///< by kind, in their own size
    GlMesh crown_;
    GlMesh boulder_;
    std::vector<PlacedShape> shapes_;
};

}  // namespace terrane
