// What the debug views draw: lines and translucent cubes in zone space, made of the terrain, of
// what the zone says of its physics, or of a tree of boxes. Plain lists with a limit: what is
// nearest to the eye (of a tree: to its root) comes first, what does not fit is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "client-stub/session/client_session.h"
#include "shared/bvh/bvh.h"
#include "shared/math/aabb.h"
#include "shared/terrain/terrain.h"

namespace terrane {

inline constexpr std::size_t kDebugLinesMax = std::size_t{1} << 17;
inline constexpr std::size_t kDebugCubesMax = std::size_t{1} << 15;
/// Bricks nearer to the eye than this are shown; at most 8^3 of them.
inline constexpr float kDebugTerrainM = 24.0F;

struct DebugLine {
    Vec3 from{0.0F};
    Vec3 to{0.0F};
    Vec4 colour{1.0F};     ///< as on the screen, not linear
    bool is_over = false;  ///< hidden by nothing
};

/// Bits of DebugCube::faces.
inline constexpr std::uint8_t kFaceWest = 1;    ///< towards -x
inline constexpr std::uint8_t kFaceEast = 2;    ///< +x
inline constexpr std::uint8_t kFaceBottom = 4;  ///< -y
inline constexpr std::uint8_t kFaceTop = 8;     ///< +y
inline constexpr std::uint8_t kFaceNorth = 16;  ///< -z
inline constexpr std::uint8_t kFaceSouth = 32;  ///< +z
inline constexpr std::uint8_t kAllFaces = 63;

struct DebugCube {
    Aabb box;
    Vec4 colour{1.0F};
    std::uint8_t faces = kAllFaces;  ///< which are drawn
};

struct DebugShapes {
    std::vector<DebugLine> lines;
    std::vector<DebugCube> cubes;
    std::size_t left_out = 0;

    bool is_empty() const { return lines.empty() && cubes.empty(); }
    void clear();
    void add(const DebugLine& line);
    void add(const DebugCube& cube);
    /// The twelve edges.
    void add_edges(const Aabb& box, const Vec4& colour);
};

/// The faces between what is in the dilated mask and what is not.
void add_masks(const TerrainMasks& masks, const Vec3& eye, DebugShapes& shapes);
/// Voxels that own a quad, from the middle of each to that of the next: there its quads begin.
void add_cells(const TerrainMasks& masks, const Vec3& eye, DebugShapes& shapes);
/// Of each collider's quads the four sides and the diagonal; builds the colliders.
void add_quads(Terrain& terrain, const Vec3& eye, DebugShapes& shapes);
void add_contacts(std::span<const DebugTouch> touches, DebugShapes& shapes);
void add_afloat(std::span<const DebugAfloat> afloat, DebugShapes& shapes);
/// The boxes of the nodes level by level, coloured by depth; of `level` (0: the root) alone, if
/// given.
void add_tree(const Bvh& tree, DebugShapes& shapes, std::optional<std::uint32_t> level = {});

}  // namespace terrane
