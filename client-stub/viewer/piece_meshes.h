// The meshes of the pieces in view, on the graphics card: made when a piece's node is first seen, a
// few a frame, nearest first, and dropped with it. A node's voxels never change.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "client-stub/viewer/body_painter.h"

namespace terrane {

/// Pieces beyond are not drawn. Some 50 kB each, 300 kB of a large one.
inline constexpr std::size_t kPieceMeshesMax = 512;

struct PieceParts {
    std::shared_ptr<const ReplicaPiece> piece;
    GlMesh mesh;  ///< 1/256 m, piece frame
    Aabb bounds;  ///< metres, piece frame
};

class PieceMeshes {
  public:
    /// `bodies` are all that are known around, those without a piece too. Meshes at most
    /// `count_max` that are new.
    void update(std::span<const VisibleBody> bodies, const Vec3& eye, std::size_t count_max);

    /// nullptr: not meshed yet, or not in the last update.
    const PieceParts* find(std::uint64_t id) const;
    std::size_t count() const { return parts_.size(); }
    /// Since the program started.
    std::size_t made_count() const { return made_count_; }

  private:
    std::map<std::uint64_t, PieceParts> parts_;  ///< by node
    std::size_t made_count_ = 0;
};

}  // namespace terrane
