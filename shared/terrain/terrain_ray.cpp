// Rays through the terrain, in three steps that grow finer (Amanatides and Woo, 1987): chunk by
// chunk past those without active cells, brick by brick past those without, and cell by cell where
// the box around the ray's part of a brick holds one. All triangles lie in active cells, so only
// what owns a quad in such a cell on the ray is asked: the cell's brick, and for a cell at its
// upper border the next ones, since the cell's upper voxels are theirs.
//
//   cells count from the centres of voxels: in the walk all places are half a voxel lower
//
//   places      in a chunk, single precision, metres from its corner: off by 1e-5 m
//   triangles   1/256 m inside the cells of their quad: the walk cannot pass by what it should see
//
// A collider is asked once, for its closest hit. The walk goes on until it is past the best.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "shared/math/ray_box.h"
#include "shared/terrain/terrain.h"

namespace terrane {
namespace {

/// Metres. A float there still tells apart an eighth of a metre, less than the margins here.
constexpr float kFarthestOrigin = 1048576.0F;
/// So far (metres along the fastest axis) the walk starts before and ends behind what it must see.
constexpr double kRoomM = 1.0 / 64.0;
/// Far more than what rounding moves a place in a chunk, less than triangles stay inside cells.
constexpr float kLocalRoomM = 1.0F / 1024.0F;

/// Without SSE4.1 std::floor is a call.
std::int32_t floor_to_int(double value) {
    const auto whole = static_cast<std::int32_t>(value);
    return whole - (static_cast<double>(whole) > value ? 1 : 0);
}

template <typename T>
std::size_t first_of(const std::array<T, 3>& t) {
    const std::size_t first = t[1] < t[0] ? 1 : 0;
    return t[2] < t[first] ? 2 : first;
}

/// Walks the chunks of cells that the ray passes. Places on it count in metres of its fastest axis.
class ChunkWalk {
  public:
    ChunkWalk(const ColliderRay& ray, double start) : ray_(&ray) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            origin_[axis] = static_cast<double>(ray.ray.origin[static_cast<int>(axis)]) - 0.5;
            const double place = origin_[axis] + start * ray.direction[axis];
            chunk_[axis] = floor_to_int(place) >> kChunkShift;
            find_next(axis);
        }
    }
    ChunkCoord chunk() const { return {chunk_[0], chunk_[1], chunk_[2]}; }
    /// Where the ray leaves the chunk that it is in.
    double leave() const { return std::min(next_[0], std::min(next_[1], next_[2])); }
    void advance() {
        const std::size_t axis = first_of(next_);
        chunk_[axis] += ray_->inverse[axis] > 0.0 ? 1 : -1;
        find_next(axis);
    }
    /// The place `s` from the chunk's corner.
    std::array<float, 3> local(double s) const {
        std::array<float, 3> place;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            place[axis] = static_cast<float>(origin_[axis] + s * ray_->direction[axis] -
                                             static_cast<double>(chunk_[axis] * kChunkSize));
        }
        return place;
    }

  private:
    void find_next(std::size_t axis) {
        const std::int32_t side = chunk_[axis] + (ray_->inverse[axis] > 0.0 ? 1 : 0);
        next_[axis] =
            (static_cast<double>(side * kChunkSize) - origin_[axis]) * ray_->inverse[axis];
    }

    const ColliderRay* ray_;
    std::array<double, 3> origin_{};
    std::array<std::int32_t, 3> chunk_{};
    std::array<double, 3> next_{};
};

/// The ray within one chunk of cells, places in metres from its corner and from where it enters.
struct LocalRay {
    std::array<float, 3> from;
    std::array<float, 3> direction;
    std::array<float, 3> inverse;
    std::array<std::int32_t, 3> step;  ///< 1 or -1
    std::array<std::int32_t, 3> up;    ///< 1 or 0

    explicit LocalRay(const ColliderRay& ray) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            direction[axis] = static_cast<float>(ray.direction[axis]);
            inverse[axis] = static_cast<float>(ray.inverse[axis]);
            up[axis] = ray.inverse[axis] > 0.0 ? 1 : 0;
            step[axis] = 2 * up[axis] - 1;
        }
    }
    float at(std::size_t axis, float s) const { return from[axis] + s * direction[axis]; }
    /// Where it passes the place `side` on the axis.
    float reach(std::size_t axis, std::int32_t side) const {
        return (static_cast<float>(side) - from[axis]) * inverse[axis];
    }
};

using Cell = std::array<std::int32_t, 3>;  ///< in its chunk

std::int32_t cell_within(float place, std::int32_t first) {
    return std::clamp(static_cast<std::int32_t>(place), first, first + kBrickSize - 1);
}

/// By axis, the bricks of a chunk in the layers from one to another.
using LayerBricks = std::array<std::array<std::array<std::uint64_t, 4>, 4>, 3>;
constexpr LayerBricks kLayers = [] {
    constexpr std::array<std::uint64_t, 3> kFirst{0x1111111111111111ULL, 0xffffULL,
                                                  0x000f000f000f000fULL};
    constexpr std::array<unsigned, 3> kWidth{1, 16, 4};
    LayerBricks bricks{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t low = 0; low < 4; ++low) {
            for (std::size_t high = low; high < 4; ++high) {
                for (std::size_t layer = low; layer <= high; ++layer) {
                    bricks[axis][low][high] |= kFirst[axis]
                                               << (kWidth[axis] * static_cast<unsigned>(layer));
                }
            }
        }
    }
    return bricks;
}();

/// The bricks of a chunk that the box around the ray's part from where it enters to `s` meets.
std::uint64_t bricks_around(const LocalRay& ray, float s) {
    std::uint64_t bricks = ~std::uint64_t{0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float a = ray.from[axis];
        const float b = ray.at(axis, s);
        const auto brick = [](float place) {
            return static_cast<std::size_t>(
                std::clamp(static_cast<std::int32_t>(place), 0, kChunkSize - 1) >> kBrickShift);
        };
        bricks &=
            kLayers[axis][brick(std::min(a, b) - kLocalRoomM)][brick(std::max(a, b) + kLocalRoomM)];
    }
    return bricks;
}

/// Is one of the `slices` on the ray's part [s0, s1] in the brick? Asked before its cells, which
/// are another line of the cache.
bool meets_slices(const LocalRay& ray, const Cell& brick, std::uint32_t slices, float s0,
                  float s1) {
    const float a = ray.at(1, s0);
    const float b = ray.at(1, s1);
    const std::int32_t first = brick[1] * kBrickSize;
    const std::int32_t low = cell_within(std::min(a, b) - kLocalRoomM, first) - first;
    const std::int32_t high = cell_within(std::max(a, b) + kLocalRoomM, first) - first;
    return (slices >> low & ((2U << (high - low)) - 1U)) != 0;
}

/// Does the box around the ray's part [s0, s1] in the brick at `brick` (in its chunk) hold an
/// active cell?
bool may_meet(const LocalRay& ray, const Cell& brick, const BrickWords& cells, float s0, float s1) {
    Cell low;
    Cell high;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float a = ray.at(axis, s0);
        const float b = ray.at(axis, s1);
        const std::int32_t first = brick[axis] * kBrickSize;
        low[axis] = cell_within(std::min(a, b) - kLocalRoomM, first) - first;
        high[axis] = cell_within(std::max(a, b) + kLocalRoomM, first) - first;
    }
    std::uint64_t any = 0;
    for (std::int32_t y = low[1]; y <= high[1]; ++y) {
        any |= cells[static_cast<std::size_t>(y)];
    }
    return (any & rectangle_mask(low[0], high[0], low[2], high[2])) != 0;
}

/// Does brick `owner` of those around the cell's upper corner (0: the cell's own; bits x, z, y) own
/// a quad in the cell? Its voxels there are one or two along each axis.
bool owns_quad(const BrickWords& surface, const Cell& cell, std::uint32_t owner) {
    constexpr std::int32_t kLast = kBrickSize - 1;
    const auto first = [&cell](std::size_t axis, bool is_next) {
        return static_cast<std::uint32_t>(is_next ? 0 : cell[axis] & kLast);
    };
    const auto width = [](std::uint32_t first_voxel, bool is_next) {
        return is_next || first_voxel == static_cast<std::uint32_t>(kLast) ? 0U : 1U;
    };
    const bool is_next_x = (owner & 1U) != 0;
    const bool is_next_z = (owner & 2U) != 0;
    const bool is_next_y = (owner & 4U) != 0;
    const std::uint32_t x = first(0, is_next_x);
    const std::uint32_t y = first(1, is_next_y);
    const std::uint32_t z = first(2, is_next_z);
    const std::uint64_t slices = surface[y] | surface[y + width(y, is_next_y)];
    const std::uint64_t row = width(x, is_next_x) != 0 ? 3 : 1;
    const std::uint64_t square = row | (width(z, is_next_z) != 0 ? row << 8 : 0);
    return (slices & (square << (8 * z + x))) != 0;
}

}  // namespace

/// One ray's way: what is known of it so far.
class Terrain::RayWalk {
  public:
    RayWalk(Terrain& terrain, const ColliderRay& ray, double end, bool is_any)
        : terrain_(&terrain), ray_(&ray), local_(ray), end_(end), is_any_(is_any) {}

    std::optional<BrickHit> run(double start) {
        ChunkWalk walk(*ray_, start);
        double s = start;
        for (;;) {
            std::uint64_t bricks = terrain_->masks_.active_bricks(walk.chunk());
            const double leave = walk.leave();
            if (bricks != 0) {
                local_.from = walk.local(s);
                chunk_ = walk.chunk();
                enter_ = s;
                bricks &= bricks_around(local_, static_cast<float>(std::min(leave, end_) - s));
                if (bricks != 0) {
                    walk_bricks(bricks);
                }
            }
            if (!(leave < end_)) {
                return best_;
            }
            s = std::max(s, leave);
            walk.advance();
        }
    }

  private:
    /// Where the walk is over, in the chunk.
    float local_end() const { return static_cast<float>(end_ - enter_); }
    void walk_bricks(std::uint64_t bricks);
    void walk_cells(const Cell& brick, const BrickWords& cells, float s);
    void visit(const Cell& cell);
    void ask(const BrickCoord& brick);
    bool owns_quad(const BrickCoord& brick, const Cell& cell, std::uint32_t owner) const {
        BrickWords made;
        const BrickWords* surface = terrain_->masks_.find_surface(brick, made);
        return surface != nullptr && terrane::owns_quad(*surface, cell, owner);
    }
    bool is_asked(const BrickCoord& brick) const;

    Terrain* terrain_;
    const ColliderRay* ray_;
    LocalRay local_;
    ChunkCoord chunk_;
    double enter_ = 0.0;
    double end_;
    bool is_any_;
    std::optional<BrickHit> best_;
    std::array<BrickCoord, 8> asked_;  ///< the last ones
    std::uint32_t asked_count_ = 0;
};

void Terrain::RayWalk::walk_bricks(std::uint64_t bricks) {
    const TerrainMasks::ActiveCells cells = terrain_->masks_.active_cells(chunk_);
    Cell brick;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        brick[axis] = std::clamp(static_cast<std::int32_t>(local_.from[axis]), 0, kChunkSize - 1) >>
                      kBrickShift;
    }
    std::array<float, 3> next;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        next[axis] = local_.reach(axis, (brick[axis] + local_.up[axis]) * kBrickSize);
    }
    const BrickCoord corner{chunk_.x * kBricksPerChunkSide, chunk_.y * kBricksPerChunkSide,
                            chunk_.z * kBricksPerChunkSide};
    for (float s = 0.0F;;) {
        const std::size_t axis = first_of(next);
        const float leave = std::max(next[axis], s);
        const auto index = static_cast<std::size_t>(16 * brick[1] + 4 * brick[2] + brick[0]);
        const float end = std::min(leave, local_end());
        if (((bricks >> index) & 1U) != 0 &&
            (cells.slices == nullptr || meets_slices(local_, brick, cells.slices[index], s, end))) {
            const BrickCoord at = corner + BrickCoord{brick[0], brick[1], brick[2]};
            BrickWords made;
            const BrickWords* words = &made;
            if (cells.slices != nullptr) {
                words = &cells.cells[cells.slot[index]].words;
            } else {
                made = terrain_->masks_.active_cells(at);
            }
            if (may_meet(local_, brick, *words, s, end)) {
                walk_cells(brick, *words, s);
            }
        }
        brick[axis] += local_.step[axis];
        if (leave >= local_end() || static_cast<std::uint32_t>(brick[axis]) > 3U) {
            return;
        }
        next[axis] += static_cast<float>(kBrickSize) * std::abs(local_.inverse[axis]);
        s = leave;
    }
}

void Terrain::RayWalk::walk_cells(const Cell& brick, const BrickWords& cells, float s) {
    Cell cell;
    std::array<float, 3> next;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        cell[axis] = cell_within(local_.at(axis, s), brick[axis] * kBrickSize);
        next[axis] = local_.reach(axis, cell[axis] + local_.up[axis]);
    }
    for (;;) {
        const auto slice = static_cast<std::size_t>(cell[1] & (kBrickSize - 1));
        const std::int32_t in_slice =
            8 * (cell[2] & (kBrickSize - 1)) + (cell[0] & (kBrickSize - 1));
        if (((cells[slice] >> in_slice) & 1U) != 0) {
            visit(cell);
        }
        const std::size_t axis = first_of(next);
        if (next[axis] >= local_end()) {
            return;
        }
        cell[axis] += local_.step[axis];
        if ((cell[axis] >> kBrickShift) != brick[axis]) {
            return;
        }
        next[axis] += std::abs(local_.inverse[axis]);
    }
}

/// Asks the owners of the quads in an active cell.
void Terrain::RayWalk::visit(const Cell& cell) {
    constexpr std::int32_t kLast = kBrickSize - 1;
    const std::uint32_t border = ((cell[0] & kLast) == kLast ? 1U : 0U) |
                                 ((cell[2] & kLast) == kLast ? 2U : 0U) |
                                 ((cell[1] & kLast) == kLast ? 4U : 0U);
    const BrickCoord own{chunk_.x * kBricksPerChunkSide + (cell[0] >> kBrickShift),
                         chunk_.y * kBricksPerChunkSide + (cell[1] >> kBrickShift),
                         chunk_.z * kBricksPerChunkSide + (cell[2] >> kBrickShift)};
    if (border == 0) {
        // Active by voxels of its own brick, and so it holds a quad of it.
        if (!is_asked(own)) {
            ask(own);
        }
        return;
    }
    for (std::uint32_t owner = 0; owner <= border; ++owner) {
        if ((owner & ~border) != 0) {
            continue;
        }
        const BrickCoord brick = own + BrickCoord{static_cast<std::int32_t>(owner & 1U),
                                                  static_cast<std::int32_t>(owner >> 2),
                                                  static_cast<std::int32_t>((owner >> 1) & 1U)};
        if (!is_asked(brick) && owns_quad(brick, cell, owner)) {
            ask(brick);
        }
    }
}

bool Terrain::RayWalk::is_asked(const BrickCoord& brick) const {
    for (std::uint32_t i = 0; i < asked_count_ && i < asked_.size(); ++i) {
        if (asked_[i] == brick) {
            return true;
        }
    }
    return false;
}

void Terrain::RayWalk::ask(const BrickCoord& brick) {
    asked_[asked_count_++ % asked_.size()] = brick;
    // A place is decided before it is rounded to a float: a limit at the best one would leave out
    // another that is rounded to the same, which counts if its brick is smaller.
    const float limit = best_ ? std::nextafter(best_->hit.t, std::numeric_limits<float>::infinity())
                              : ray_->ray.t_max;
    const BrickCollider& collider = terrain_->colliders_.get(brick);
    const std::optional<TriangleHit> hit = closest_hit(collider, brick, *ray_, limit);
    if (!hit ||
        (best_ && !(hit->t < best_->hit.t || (hit->t == best_->hit.t && brick < best_->brick)))) {
        return;
    }
    best_ = BrickHit{*hit, brick, {}};
    if (is_any_) {
        end_ = -1.0;
        return;
    }
    best_->triangle = triangle_at(collider, brick, hit->triangle);
    end_ = std::min(end_, static_cast<double>(hit->t) * ray_->scale * (1.0 + 0x1p-22) + kRoomM);
}

TerrainHit Terrain::describe(const BrickHit& hit) {
    const TerrainTriangle& triangle = hit.triangle;
    const Vec3 normal =
        glm::normalize(glm::cross(triangle.b - triangle.a, triangle.c - triangle.a));
    return {hit.hit.t, normal, hit.brick, hit.hit.triangle, triangle.material};
}

std::optional<TerrainHit> Terrain::raycast(const Ray& ray) {
    const std::optional<BrickHit> hit = walk_ray(ray, false);
    return hit ? std::optional<TerrainHit>(describe(*hit)) : std::nullopt;
}

bool Terrain::meets_ray(const Ray& ray) {
    return walk_ray(ray, true).has_value();
}

std::optional<Terrain::BrickHit> Terrain::walk_ray(const Ray& ray, bool is_any) {
    const auto largest = [](const Vec3& v) {
        return std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
    };
    // Beyond these limits places on the ray could not be told from each other, or counted.
    if (!is_finite(ray.origin) || !is_finite(ray.direction) ||
        largest(ray.direction) < kTinyDirection || !(largest(ray.origin) < kFarthestOrigin)) {
        return std::nullopt;
    }
    const std::optional<RaySpan> span = intersect(ray, reach_);
    if (!span) {
        return std::nullopt;
    }
    const ColliderRay prepared(ray);
    const double start = static_cast<double>(span->enter) * prepared.scale - kRoomM;
    const double end = static_cast<double>(span->leave) * prepared.scale + kRoomM;
    return RayWalk(*this, prepared, end, is_any).run(start);
}

}  // namespace terrane
