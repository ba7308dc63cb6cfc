#include "shared/voxel/box_cover.h"

#include <algorithm>
#include <iterator>

namespace terrane {

BoxCover::BoxCover(const VoxelPiece& piece)
    : size_(piece.size), state_(piece.voxels.size()), cube_(piece.voxels.size()) {
    for (std::int32_t y = 0; y < size_.y; ++y) {
        for (std::int32_t z = 0; z < size_.z; ++z) {
            for (std::int32_t x = 0; x < size_.x; ++x) {
                const VoxelCoord v{x, y, z};
                if (is_core(piece.voxels[index(v)])) {
                    core_.push_back(v);
                    state_[index(v)] = CoreState::open;
                }
            }
        }
    }
    measure_cubes(voxel_box(piece));
}

void BoxCover::measure_cubes(const VoxelBox& region) {
    const auto cube_at = [this](std::int32_t x, std::int32_t y, std::int32_t z) {
        return x < size_.x && y < size_.y && z < size_.z ? cube_[index({x, y, z})]
                                                         : std::uint8_t{0};
    };
    for (std::int32_t y = region.max.y; y >= region.min.y; --y) {
        for (std::int32_t z = region.max.z; z >= region.min.z; --z) {
            for (std::int32_t x = region.max.x; x >= region.min.x; --x) {
                const std::size_t i = index({x, y, z});
                if (state_[i] != CoreState::open) {
                    cube_[i] = 0;
                    continue;
                }
                const std::uint8_t least =
                    std::min({cube_at(x + 1, y, z), cube_at(x, y + 1, z), cube_at(x, y, z + 1),
                              cube_at(x + 1, y + 1, z), cube_at(x, y + 1, z + 1),
                              cube_at(x + 1, y, z + 1), cube_at(x + 1, y + 1, z + 1)});
                cube_[i] = static_cast<std::uint8_t>(least + 1);
            }
        }
    }
}

VoxelBox BoxCover::take_box() {
    std::int32_t side = 0;
    VoxelCoord low;
    for (const VoxelCoord& v : core_) {
        if (cube_[index(v)] > side) {
            side = cube_[index(v)];
            low = v;
        }
    }
    if (side == 0) {
        return {};
    }
    VoxelBox box{low, low + VoxelCoord{side - 1, side - 1, side - 1}};
    grow_box(box);
    for (std::int32_t y = box.min.y; y <= box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z <= box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x <= box.max.x; ++x) {
                state_[index({x, y, z})] = CoreState::covered;
            }
        }
    }
    // No cube is larger than this one, so none that reaches into the box begins farther away.
    const VoxelBox all{{0, 0, 0}, size_ - VoxelCoord{1, 1, 1}};
    measure_cubes(intersect({box.min - VoxelCoord{side, side, side}, box.max}, all));
    return box;
}

/// A layer at a time on each side in turn, as long as that takes in open voxels.
void BoxCover::grow_box(VoxelBox& box) const {
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const auto axis : {&VoxelCoord::x, &VoxelCoord::z, &VoxelCoord::y}) {
            for (const bool is_above : {true, false}) {
                VoxelBox layer = box;
                layer.min.*axis = is_above ? box.max.*axis + 1 : box.min.*axis - 1;
                layer.max.*axis = layer.min.*axis;
                if (can_add(layer)) {
                    box = merge(box, layer);
                    has_grown = true;
                }
            }
        }
    }
}

/// All core, and some of it open.
bool BoxCover::can_add(const VoxelBox& layer) const {
    if (intersect(layer, {{0, 0, 0}, size_ - VoxelCoord{1, 1, 1}}) != layer) {
        return false;
    }
    bool has_open = false;
    for (std::int32_t y = layer.min.y; y <= layer.max.y; ++y) {
        for (std::int32_t z = layer.min.z; z <= layer.max.z; ++z) {
            for (std::int32_t x = layer.min.x; x <= layer.max.x; ++x) {
                const CoreState state = state_[index({x, y, z})];
                if (state == CoreState::none) {
                    return false;
                }
                has_open = has_open || state == CoreState::open;
            }
        }
    }
    return has_open;
}

std::vector<VoxelCoord> BoxCover::left_by(std::span<const VoxelBox> boxes) const {
    std::vector<VoxelCoord> left;
    std::ranges::copy_if(core_, std::back_inserter(left), [boxes](const VoxelCoord& v) {
        return std::ranges::none_of(boxes, [&v](const VoxelBox& box) { return contains(box, v); });
    });
    return left;
}

}  // namespace terrane
