#include "shared/voxel/piece_parts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "shared/core/assert.h"
#include "shared/voxel/box_cover.h"
#include "shared/voxel/corner_hull.h"
#include "shared/voxel/surface_nets.h"

namespace terrane {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffff;
/// Boxes that are tried to be joined.
constexpr std::size_t kBoxesMax = 256;
/// Parts kept when there are too many; the rest is coarse.
constexpr std::size_t kFineParts = 48;
/// 0.1 ms each.
constexpr std::size_t kJoinsTriedMax = 96;
constexpr auto kDepthMax = static_cast<std::int32_t>(kPartDepthM * 256.0F);
constexpr auto kHollowMax = static_cast<std::int32_t>(kPartHollowM * 256.0F);
constexpr std::uint8_t kHollowOccupancy = 64;
constexpr auto kTolerance = static_cast<std::int32_t>(kPartToleranceM * 256.0F);
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

/// A part on its way: its points, and the boxes that it is made of.
struct Draft {
    std::vector<LatticePoint> surface;  ///< vertices of the mesh, ascending
    std::vector<LatticePoint> joints;   ///< centres of cells that are all core
    std::vector<LatticePoint> hollow;   ///< centres of voxels beside it that are (nearly) empty
    std::vector<LatticePoint> corners;  ///< of surface and joints, on the hull
    std::vector<VoxelBox> boxes;
    VoxelBox box;  ///< around them
};

// ---- parts ----

/// A vertex of the mesh, which is one of the lattice.
LatticePoint lattice_point(const Vec3& p) {
    const auto lattice = [](float metres) { return static_cast<std::int32_t>(metres * 256.0F); };
    return {lattice(p.x), lattice(p.y), lattice(p.z)};
}

/// What drafts are made from.
struct PieceSurface {
    const VoxelPiece& piece;
    PieceMesh mesh;
    CellTable cells;
};

void add_cell(Draft& draft, const VoxelCoord& cell, PieceSurface& from) {
    const std::uint32_t vertex = from.cells.at(cell);
    if (vertex == kNoVertex) {
        draft.joints.push_back({(cell.x + 1) * 256, (cell.y + 1) * 256, (cell.z + 1) * 256});
        return;
    }
    draft.surface.push_back(lattice_point(from.mesh.positions[vertex]));
    for (std::int32_t corner = 0; corner < 8; ++corner) {
        const VoxelCoord v = cell + VoxelCoord{corner & 1, (corner >> 1) & 1, corner >> 2};
        if (voxel_of(from.piece, v).occupancy < kHollowOccupancy) {
            draft.hollow.push_back({v.x * 256 + 128, v.y * 256 + 128, v.z * 256 + 128});
        }
    }
}

void sort_points(std::vector<LatticePoint>& points) {
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
}

void sort_points(Draft& draft) {
    sort_points(draft.surface);
    sort_points(draft.joints);
    sort_points(draft.hollow);
}

Draft box_draft(const VoxelBox& box, PieceSurface& from) {
    Draft draft;
    draft.boxes = {box};
    draft.box = box;
    const VoxelCoord low = box.min - kOne;
    for (std::int32_t y = low.y; y <= box.max.y; ++y) {
        for (std::int32_t z = low.z; z <= box.max.z; ++z) {
            const bool is_face = y == low.y || y == box.max.y || z == low.z || z == box.max.z;
            // Within the box only the ends of the row lie on its surface.
            const std::int32_t step = is_face ? 1 : box.max.x - low.x;
            for (std::int32_t x = low.x; x <= box.max.x; x += step) {
                add_cell(draft, {x, y, z}, from);
            }
        }
    }
    sort_points(draft);
    return draft;
}

Draft group_draft(std::span<const VoxelCoord> voxels, PieceSurface& from) {
    Draft draft;
    for (const VoxelCoord& v : voxels) {
        draft.box = merge(draft.box, {v, v});
        for (std::int32_t corner = 0; corner < 8; ++corner) {
            const VoxelCoord down{corner & 1, (corner >> 1) & 1, corner >> 2};
            add_cell(draft, v - down, from);
        }
    }
    sort_points(draft);
    return draft;
}

std::vector<LatticePoint> choose(std::span<const LatticePoint> points,
                                 std::span<const std::size_t> indices) {
    std::vector<LatticePoint> chosen;
    for (const std::size_t i : indices) {
        chosen.push_back(points[i]);
    }
    return chosen;
}

/// Of the hull of `points`, if it is tight around the draft's surface; else nothing.
std::vector<std::size_t> tight_corners(std::span<const LatticePoint> points, const Draft& draft) {
    const std::array<DepthLimit, 2> limits{
        {{draft.hollow, kHollowMax}, {draft.surface, kDepthMax}}};
    return tight_hull_corners(points, kPartCornersMax, kTolerance, limits);
}

/// Chooses the corners from all of the draft's points.
void choose_corners(Draft& draft) {
    std::vector<LatticePoint> points = draft.surface;
    points.insert(points.end(), draft.joints.begin(), draft.joints.end());
    draft.corners = choose(points, hull_corners(points, kPartCornersMax, kTolerance));
}

PiecePart finish(Draft& draft) {
    choose_corners(draft);
    PiecePart part{{}, draft.box};
    for (const LatticePoint& p : draft.corners) {
        part.corners.push_back(
            Vec3(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)) /
            256.0F);
    }
    return part;
}

// ---- joining ----

std::int64_t volume_of(const VoxelBox& box) {
    const VoxelCoord size = box.max - box.min + kOne;
    return std::int64_t{size.x} * size.y * size.z;
}

/// Corners from the corners of both, since they are few; nothing if a vertex of the mesh would lie
/// deep inside.
std::optional<Draft> try_join(const Draft& a, const Draft& b) {
    Draft both;
    std::ranges::set_union(a.surface, b.surface, std::back_inserter(both.surface));
    std::ranges::set_union(a.hollow, b.hollow, std::back_inserter(both.hollow));
    std::vector<LatticePoint> points = a.corners;
    points.insert(points.end(), b.corners.begin(), b.corners.end());
    sort_points(points);
    const auto indices = tight_corners(points, both);
    if (indices.empty()) {
        return std::nullopt;
    }
    both.corners = choose(points, indices);
    std::ranges::set_union(a.joints, b.joints, std::back_inserter(both.joints));
    both.boxes = a.boxes;
    both.boxes.insert(both.boxes.end(), b.boxes.begin(), b.boxes.end());
    both.box = merge(a.box, b.box);
    return both;
}

/// The drafts that touch number `i`, largest first; at most kJoinTries.
std::vector<std::size_t> neighbours_of(const std::vector<Draft>& drafts, std::size_t i) {
    constexpr std::size_t kJoinTries = 3;
    std::vector<std::size_t> near;
    const VoxelBox reach = grow(drafts[i].box, 1);
    for (std::size_t k = 0; k < drafts.size(); ++k) {
        if (k != i && !is_empty(intersect(reach, drafts[k].box))) {
            near.push_back(k);
        }
    }
    std::ranges::stable_sort(near, [&](std::size_t a, std::size_t b) {
        return volume_of(drafts[a].box) > volume_of(drafts[b].box);
    });
    near.resize(std::min(near.size(), kJoinTries));
    return near;
}

/// Joins small drafts to their neighbours where the hull stays tight.
void join_drafts(std::vector<Draft>& drafts) {
    std::ranges::for_each(drafts, choose_corners);
    // Boxes come largest first, so the last are the smallest.
    std::size_t tries = 0;
    for (std::size_t i = drafts.size(); i-- > 0;) {
        for (const std::size_t k : neighbours_of(drafts, i)) {
            if (++tries > kJoinsTriedMax) {
                return;
            }
            if (auto both = try_join(drafts[i], drafts[k])) {
                drafts[k] = std::move(*both);
                drafts.erase(drafts.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
        }
    }
}

/// A draft of the whole piece, if its hull is tight.
std::optional<Draft> whole_draft(PieceSurface& from) {
    Draft whole;
    for (const Vec3& p : from.mesh.positions) {
        add_cell(whole, voxel_at(p - Vec3(0.5F)), from);
    }
    sort_points(whole);
    whole.box = voxel_box(from.piece);
    return tight_corners(whole.surface, whole).empty() ? std::nullopt
                                                       : std::optional(std::move(whole));
}

/// Sorts the voxels by blocks of a side so large that they make `groups_max` groups at most;
/// returns where each group ends.
std::vector<std::size_t> group_by_blocks(std::vector<VoxelCoord>& voxels, std::size_t groups_max) {
    std::vector<std::size_t> ends;
    for (std::int32_t shift = 1; ends.empty() || ends.size() > groups_max; ++shift) {
        const auto block_of = [shift](const VoxelCoord& v) {
            return VoxelCoord{v.x >> shift, v.y >> shift, v.z >> shift};
        };
        std::ranges::sort(voxels, [&](const VoxelCoord& a, const VoxelCoord& b) {
            const auto by_block = block_of(a) <=> block_of(b);
            return by_block != 0 ? by_block < 0 : a < b;
        });
        ends.clear();
        for (std::size_t i = 1; i <= voxels.size(); ++i) {
            if (i == voxels.size() || block_of(voxels[i]) != block_of(voxels[i - 1])) {
                ends.push_back(i);
            }
        }
    }
    return ends;
}

}  // namespace

void mesh_piece(const VoxelPiece& piece, PieceMesh& mesh) {
    mesh_cells(piece, mesh);
}

std::vector<PiecePart> piece_parts(const VoxelPiece& piece) {
    PieceSurface from{piece, {}, CellTable(piece.size)};
    from.cells = mesh_cells(piece, from.mesh);
    if (std::optional<Draft> whole = whole_draft(from)) {
        return {finish(*whole)};
    }
    BoxCover cover(piece);
    std::vector<Draft> drafts;
    VoxelBox next = cover.take_box();
    TERRANE_ASSERT(!is_empty(next));
    for (; !is_empty(next) && drafts.size() < kBoxesMax; next = cover.take_box()) {
        drafts.push_back(box_draft(next, from));
    }
    join_drafts(drafts);
    std::vector<VoxelCoord> left;
    if (!is_empty(next) || drafts.size() > kPiecePartsMax) {
        drafts.resize(std::min(drafts.size(), kFineParts));
        std::vector<VoxelBox> kept;
        for (const Draft& draft : drafts) {
            kept.insert(kept.end(), draft.boxes.begin(), draft.boxes.end());
        }
        left = cover.left_by(kept);
    }
    if (!left.empty()) {
        std::size_t begin = 0;
        for (const std::size_t end : group_by_blocks(left, kPiecePartsMax - kFineParts)) {
            drafts.push_back(group_draft(std::span(left).subspan(begin, end - begin), from));
            begin = end;
        }
    }
    std::vector<PiecePart> parts;
    std::ranges::transform(drafts, std::back_inserter(parts), finish);
    return parts;
}

}  // namespace terrane
