#include "shared/voxel/piece_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "shared/core/assert.h"
#include "shared/voxel/corner_hull.h"
#include "shared/voxel/filled_rows.h"
#include "shared/voxel/surface_nets.h"

namespace terrane {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffff;
constexpr auto kDepthMax = static_cast<double>(kPartDepthM * 256.0F);
constexpr auto kHollowMax = static_cast<double>(kPartHollowM * 256.0F);
constexpr std::uint8_t kHollowOccupancy = 64;
constexpr auto kTolerance = static_cast<std::int32_t>(kPartToleranceM * 256.0F);
constexpr auto kRoughTolerance = static_cast<std::int32_t>(kPartRoughToleranceM * 256.0F);
/// So many corners show that a hull is too deep, if it is.
constexpr std::size_t kSketchPoints = 48;
constexpr std::size_t kSketchCorners = 16;
constexpr std::uint8_t kAllFull = 0xff;
constexpr std::size_t kVoxelsPerPart = 32;
constexpr VoxelCoord kOne{1, 1, 1};

std::size_t size_of(std::int32_t value) {
    return static_cast<std::size_t>(value);
}

/// Something for every cell of a piece: cell (i, j, k) has its low corner at the centre of voxel
/// (i, j, k), from -1 to the last voxel.
struct CellTable {
    VoxelCoord size;  ///< cells
    std::vector<std::uint32_t> vertex;

    explicit CellTable(const VoxelCoord& piece_size)
        : size(piece_size + kOne),
          vertex(size_of(size.x) * size_of(size.y) * size_of(size.z), kNoVertex) {}
    std::uint32_t& at(const VoxelCoord& cell) {
        const VoxelCoord c = cell + kOne;
        return vertex[size_of((c.y * size.z + c.z) * size.x + c.x)];
    }
};

/// Brick `brick` of the piece moved up by one voxel: the air below it belongs to a brick then.
BrickBox copy_moved_brick(const VoxelPiece& piece, const BrickCoord& brick) {
    BrickBox box;
    const VoxelCoord low = origin_of(brick) - kOne - kOne;
    std::size_t i = 0;
    for (std::int32_t y = 0; y < kBrickSize + 2; ++y) {
        for (std::int32_t z = 0; z < kBrickSize + 2; ++z) {
            for (std::int32_t x = 0; x < kBrickSize + 2; ++x, ++i) {
                const Voxel voxel = voxel_of(piece, low + VoxelCoord{x, y, z});
                box.material[i] = voxel.material;
                box.occupancy[i] = voxel.occupancy;
            }
        }
    }
    return box;
}

void append_brick(const BrickMesh& brick, const VoxelCoord& low, PieceMesh& mesh,
                  CellTable& cells) {
    std::vector<std::uint32_t> index_of(brick.positions.size());
    for (std::size_t i = 0; i < brick.positions.size(); ++i) {
        const Vec3 position = brick.positions[i] + corner_of(low);
        // Strictly inside its cell, see surface_nets.h.
        std::uint32_t& known = cells.at(voxel_at(position - Vec3(0.5F)));
        if (known == kNoVertex) {
            known = static_cast<std::uint32_t>(mesh.positions.size());
            mesh.positions.push_back(position);
            mesh.materials.push_back(brick.materials[i]);
        }
        index_of[i] = known;
    }
    for (const std::uint16_t index : brick.indices) {
        mesh.indices.push_back(index_of[index]);
    }
}

CellTable mesh_cells(const VoxelPiece& piece, PieceMesh& mesh) {
    mesh.positions.clear();
    mesh.materials.clear();
    mesh.indices.clear();
    CellTable cells(piece.size);
    BrickMesh brick_mesh;
    const BrickCoord last = brick_of(piece.size);
    for (std::int32_t y = 0; y <= last.y; ++y) {
        for (std::int32_t z = 0; z <= last.z; ++z) {
            for (std::int32_t x = 0; x <= last.x; ++x) {
                const BrickCoord brick{x, y, z};
                mesh_brick(copy_moved_brick(piece, brick), brick_mesh);
                append_brick(brick_mesh, origin_of(brick) - kOne, mesh, cells);
            }
        }
    }
    return cells;
}

/// A vertex of the mesh, which is one of the lattice.
LatticePoint lattice_point(const Vec3& p) {
    const auto lattice = [](float metres) { return static_cast<std::int32_t>(metres * 256.0F); };
    return {lattice(p.x), lattice(p.y), lattice(p.z)};
}
LatticePoint middle_of(const VoxelCoord& cell) {
    return {(cell.x + 1) * 256, (cell.y + 1) * 256, (cell.z + 1) * 256};
}

// ---- parts ----

/// A point of a part and which of the voxels around it are full (filled_rows.h).
struct PartPoint {
    LatticePoint at;
    VoxelCoord cell;
    std::uint8_t corners = 0;
};

/// A part on its way.
struct Draft {
    VoxelBox box;                     ///< tight around its full voxels
    std::vector<PartPoint> surface;   ///< vertices of the mesh around them
    std::vector<PartPoint> joints;    ///< centres of cells all full, where it was cut off
    std::vector<VoxelCoord> hollows;  ///< in the box, beside full voxels, nearly empty
    std::optional<CornerHull> hull;   ///< over the surface, then the joints
    double excess = 0.0;              ///< how much deeper than allowed something lies in the hull
};

bool touches(const VoxelBox& box, const PartPoint& p) {
    return (corners_in(box, p.cell) & p.corners) != 0;
}

/// Of the mesh's vertices those that can be reached from outside.
Draft whole_draft(const FilledRows& filled, const PieceMesh& mesh) {
    Draft draft;
    draft.box = tight_box(filled, {{0, 0, 0}, filled.size - kOne});
    for (const Vec3& p : mesh.positions) {
        const VoxelCoord cell = voxel_at(p - Vec3(0.5F));
        if (const std::uint8_t corners = filled_corners(filled, cell); corners != kAllFull) {
            draft.surface.push_back({lattice_point(p), cell, corners});
        }
    }
    return draft;
}

CornerHull hull_of(const Draft& draft, std::size_t step) {
    std::vector<LatticePoint> points;
    points.reserve((draft.surface.size() + draft.joints.size()) / step + 2);
    for (std::size_t i = 0; i < draft.surface.size(); i += step) {
        points.push_back(draft.surface[i].at);
    }
    for (std::size_t i = 0; i < draft.joints.size(); i += step) {
        points.push_back(draft.joints[i].at);
    }
    return CornerHull(points);
}

/// How much deeper than allowed one of the surface's points or of `hollows` lies in the hull.
double excess_of(const CornerHull& hull, std::size_t surface_count,
                 std::span<const LatticePoint> hollows) {
    return std::max(hull.deepest(hollows, kHollowMax) - kHollowMax,
                    hull.deepest_of_first(surface_count, kDepthMax) - kDepthMax);
}

/// Measures the draft: first by a hull of few of its points, which lies within that of all.
void measure(Draft& draft) {
    if (draft.box.min == draft.box.max) {
        return;  // one voxel: nothing to cut
    }
    std::vector<LatticePoint> hollows;
    for (const VoxelCoord& v : draft.hollows) {
        hollows.push_back({v.x * 256 + 128, v.y * 256 + 128, v.z * 256 + 128});
    }
    const std::size_t step = draft.surface.size() / kSketchPoints;
    if (step > 1) {
        CornerHull few = hull_of(draft, step);
        few.grow(kSketchCorners, kTolerance);
        draft.excess = excess_of(few, draft.surface.size() / step, hollows);
    }
    if (draft.excess == 0.0) {
        draft.hull.emplace(hull_of(draft, 1));
        draft.hull->grow(kSketchCorners, kRoughTolerance);
        draft.excess = excess_of(*draft.hull, draft.surface.size(), hollows);
    }
    if (draft.excess == 0.0) {
        draft.hull->grow(kPartCornersSoft, kTolerance);
        draft.excess = excess_of(*draft.hull, draft.surface.size(), hollows);
    }
}

/// Centres of the cells that lie across the cut, are all full and touch `box`, but for those amid
/// two others: these are no corners.
void add_joints(const FilledRows& filled, const BoxCut& cut, Draft& draft) {
    VoxelBox cells{draft.box.min - kOne, draft.box.max};
    if (cut.last_low < cells.min.*cut.axis || cut.last_low > cells.max.*cut.axis) {
        return;
    }
    cells.min.*cut.axis = cut.last_low;
    cells.max.*cut.axis = cut.last_low;
    const auto is_joint = [&](const VoxelCoord& cell) {
        return contains(cells, cell) && filled_corners(filled, cell) == kAllFull;
    };
    for (std::int32_t y = cells.min.y; y <= cells.max.y; ++y) {
        for (std::int32_t z = cells.min.z; z <= cells.max.z; ++z) {
            for (std::int32_t x = cells.min.x; x <= cells.max.x; ++x) {
                const VoxelCoord cell{x, y, z};
                const auto is_amid = [&](const VoxelCoord& step) {
                    return is_joint(cell - step) && is_joint(cell + step);
                };
                if (is_joint(cell) && !is_amid({1, 0, 0}) && !is_amid({0, 1, 0}) &&
                    !is_amid({0, 0, 1})) {
                    draft.joints.push_back({middle_of(cell), cell, kAllFull});
                }
            }
        }
    }
}

/// The part of `from` in `box`.
Draft cut_draft(const Draft& from, const VoxelBox& box, const BoxCut& cut,
                const FilledRows& filled) {
    Draft draft;
    draft.box = box;
    draft.surface.reserve(from.surface.size());
    const auto is_taken = [&box](const PartPoint& p) { return touches(box, p); };
    std::ranges::copy_if(from.surface, std::back_inserter(draft.surface), is_taken);
    std::ranges::copy_if(from.joints, std::back_inserter(draft.joints), is_taken);
    const auto is_within = [&box](const VoxelCoord& v) { return contains(box, v); };
    std::ranges::copy_if(from.hollows, std::back_inserter(draft.hollows), is_within);
    add_joints(filled, cut, draft);
    measure(draft);
    return draft;
}

PiecePart finish(Draft& draft) {
    CornerHull hull = draft.hull ? std::move(*draft.hull) : hull_of(draft, 1);
    if (draft.excess == 0.0) {
        hull.grow(kPartCornersSoft, kTolerance);
    }
    hull.grow(kPartCornersMax, kRoughTolerance);
    PiecePart part{{}, draft.box};
    for (const std::size_t i : hull.corners()) {
        const std::size_t surface_count = draft.surface.size();
        const LatticePoint& p =
            i < surface_count ? draft.surface[i].at : draft.joints[i - surface_count].at;
        part.corners.push_back(
            Vec3(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)) /
            256.0F);
    }
    return part;
}

std::size_t parts_max(const VoxelPiece& piece) {
    const auto core = static_cast<std::size_t>(std::ranges::count_if(piece.voxels, is_core));
    return std::clamp(core / kVoxelsPerPart, kPiecePartsMax / 2, kPiecePartsMax);
}

}  // namespace

void mesh_piece(const VoxelPiece& piece, PieceMesh& mesh) {
    mesh_cells(piece, mesh);
}

std::vector<PiecePart> piece_parts(const VoxelPiece& piece) {
    PieceMesh mesh;
    mesh_piece(piece, mesh);
    const FilledRows filled = filled_rows(piece);
    std::vector<Draft> drafts;
    drafts.push_back(whole_draft(filled, mesh));
    drafts[0].hollows = hollows_beside(filled, piece, kHollowOccupancy);
    TERRANE_ASSERT(!is_empty(drafts[0].box));
    measure(drafts[0]);
    const std::size_t count_max = parts_max(piece);
    while (drafts.size() < count_max) {
        Draft& worst = *std::ranges::max_element(drafts, {}, &Draft::excess);
        if (worst.excess <= 0.0) {
            break;
        }
        const BoxCut cut = best_cut(filled, worst.box);
        Draft high = cut_draft(worst, cut.high, cut, filled);
        worst = cut_draft(worst, cut.low, cut, filled);
        drafts.push_back(std::move(high));
    }
    std::vector<PiecePart> parts;
    std::ranges::transform(drafts, std::back_inserter(parts), finish);
    return parts;
}

}  // namespace terrane
