#include "shared/terrain/core_flood.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "shared/core/assert.h"

namespace terrane {
namespace {

static_assert(std::endian::native == std::endian::little, "rows of bytes are read as words");

constexpr std::uint32_t kNoBrick = 0xffffffff;
constexpr std::uint32_t kGroundBrick = 0xfffffffe;
constexpr std::size_t kSlotsMin = 256;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr std::uint64_t kLowBits = 0x0101010101010101ULL;
constexpr std::uint64_t kRowLow = 0xffULL;         ///< z = 0
constexpr std::uint64_t kRowHigh = 0xffULL << 56;  ///< z = 7

bool is_zero(const BrickWords& words) {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) {
        any |= word;
    }
    return any == 0;
}

/// The bit of a voxel in its slice's word.
std::uint64_t bit_of(const VoxelCoord& v) {
    return std::uint64_t{1} << (((v.z & 7) << 3) | (v.x & 7));
}
std::size_t slice_of(const VoxelCoord& v) {
    return static_cast<std::size_t>(v.y & 7);
}

std::uint64_t load_row(const Plane& plane, std::span<const std::uint8_t> bytes, std::size_t index) {
    if (bytes.empty()) {
        return kLowBits * plane.uniform_value();
    }
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[index], sizeof word);
    return word;
}

BrickWords core_words(const Chunk& chunk, const BrickCoord& brick) {
    BrickWords core{};
    if (chunk.is_uniform()) {
        core.fill(is_core(chunk.voxel(0)) ? kAll : 0);
        return core;
    }
    const std::span<const std::uint8_t> material = chunk.material.bytes();
    const std::span<const std::uint8_t> occupancy = chunk.occupancy.bytes();
    const std::size_t first = index_in_chunk(origin_of(brick));
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        for (std::size_t z = 0; z < kBrickSize; ++z) {
            const std::size_t index = first + (y * kChunkSize + z) * kChunkSize;
            // A material from kFirstSolid = 2 on has a bit above its lowest.
            const std::uint64_t high = load_row(chunk.material, material, index) & ~kLowBits;
            const std::uint64_t solid = ((high & ~kHighBits) + ~kHighBits) | high;
            const std::uint64_t row =
                solid & load_row(chunk.occupancy, occupancy, index) & kHighBits;
            core[y] |= ((row * 0x0002040810204081ULL) >> 56) << (8 * z);
        }
    }
    return core;
}

/// `bits` and what is connected to them within the slice's `core`.
std::uint64_t fill_slice(std::uint64_t bits, std::uint64_t core) {
    bits &= core;
    for (std::uint64_t before = 0; bits != before;) {
        before = bits;
        bits |=
            (((bits << 1) & ~kLowBits) | ((bits >> 1) & ~kHighBits) | (bits << 8) | (bits >> 8)) &
            core;
    }
    return bits;
}

/// The same in the whole brick: up and down until nothing is new.
void fill_brick(BrickWords& bits, const BrickWords& core) {
    constexpr std::size_t kTop = kBrickSize - 1;
    if (std::ranges::all_of(core, [](std::uint64_t word) { return word == kAll; })) {
        bits.fill(kAll);
        return;
    }
    for (std::uint64_t changed = kAll; changed != 0;) {
        changed = 0;
        const auto fill = [&](std::size_t y, std::uint64_t from) {
            const std::uint64_t filled = fill_slice(bits[y] | from, core[y]);
            changed |= filled ^ bits[y];
            bits[y] = filled;
        };
        fill(0, 0);
        for (std::size_t y = 1; y <= kTop; ++y) {
            fill(y, bits[y - 1]);
        }
        for (std::size_t y = kTop; y-- > 0;) {
            fill(y, bits[y + 1]);
        }
    }
}

/// The voxels of the brick's bits, in no order that matters.
void append_voxels(const BrickCoord& brick, const BrickWords& bits,
                   std::vector<VoxelCoord>& voxels) {
    const VoxelCoord origin = origin_of(brick);
    for (std::int32_t y = 0; y < kBrickSize; ++y) {
        for (std::uint64_t rest = bits[static_cast<std::size_t>(y)]; rest != 0; rest &= rest - 1) {
            const std::int32_t bit = std::countr_zero(rest);
            voxels.push_back(origin + VoxelCoord{bit & 7, y, bit >> 3});
        }
    }
}

}  // namespace

void CoreFlood::start(const CoreSource& source) {
    grid_ = &source.grid;
    masks_ = source.masks;
    bricks_.clear();
    cost_voxels_ = 0;
    has_last_ = false;
    if (++start_ == 0) {  // after 2^32 starts old slots could look new
        slots_.clear();
        start_ = 1;
    }
    if (slots_.empty()) {
        slots_.resize(kSlotsMin);
    }
    if (masks_ != nullptr) {
        for (const VoxelBox& box : source.changed) {
            mark_changed(box);
        }
    }
}

void CoreFlood::mark_changed(const VoxelBox& changed) {
    const VoxelBox box = intersect(changed, voxel_box(grid_->bounds()));
    if (is_empty(box)) {
        return;
    }
    const BrickCoord first = brick_of(box.min);
    const BrickCoord last = brick_of(box.max);
    for (std::int32_t y = first.y; y <= last.y; ++y) {
        for (std::int32_t z = first.z; z <= last.z; ++z) {
            for (std::int32_t x = first.x; x <= last.x; ++x) {
                if (const std::uint32_t index = find_brick({x, y, z}); index < kGroundBrick) {
                    bricks_[index].is_changed = true;
                }
            }
        }
    }
}

std::uint32_t CoreFlood::find_brick(const BrickCoord& at) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash_value(at) & mask;; i = (i + 1) & mask) {
        if (slots_[i].start != start_) {
            break;
        }
        if (slots_[i].at == at) {
            return slots_[i].brick;
        }
    }
    return add_brick(at);
}

std::uint32_t CoreFlood::add_brick(const BrickCoord& at) {
    const ChunkCoord chunk = chunk_of(at);
    if (!has_last_ || !(chunk == last_chunk_)) {
        last_chunk_ = chunk;
        last_found_ = grid_->find(chunk);
        has_last_ = true;
    }
    if (last_found_ == nullptr) {
        const bool is_below = chunk.y < grid_->bounds().min.y;
        return is_below || contains(grid_->bounds(), chunk) ? kGroundBrick : kNoBrick;
    }
    if (2 * (bricks_.size() + 1) > slots_.size()) {
        grow_table();
    }
    const auto index = static_cast<std::uint32_t>(bricks_.size());
    Brick& brick = bricks_.emplace_back();
    brick.at = at;
    brick.chunk = last_found_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash_value(at) & mask;
    while (slots_[i].start == start_) {
        i = (i + 1) & mask;
    }
    slots_[i] = {start_, index, at};
    return index;
}

void CoreFlood::read(Brick& brick) {
    if (!brick.is_read) {
        brick.is_read = true;
        const bool is_kept = masks_ != nullptr && !brick.is_changed;
        brick.core = is_kept ? masks_->bits(brick.at).core : core_words(*brick.chunk, brick.at);
        cost_voxels_ += kBrickCostVoxels;
    }
}

void CoreFlood::grow_table() {
    slots_.assign(2 * slots_.size(), {});
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t brick = 0; brick < bricks_.size(); ++brick) {
        std::size_t i = hash_value(bricks_[brick].at) & mask;
        while (slots_[i].start == start_) {
            i = (i + 1) & mask;
        }
        slots_[i] = {start_, static_cast<std::uint32_t>(brick), bricks_[brick].at};
    }
}

BrickWords CoreFlood::undecided(const BrickCoord& brick) {
    const std::uint32_t index = find_brick(brick);
    BrickWords words{};
    if (index < kGroundBrick) {
        read(bricks_[index]);
        for (std::size_t y = 0; y < kBrickSize; ++y) {
            words[y] = bricks_[index].core[y] & ~bricks_[index].decided[y];
        }
    }
    return words;
}

bool CoreFlood::is_loose(const VoxelCoord& seed, std::size_t voxels_max,
                         std::vector<VoxelCoord>& voxels) {
    voxels.clear();
    queue_.clear();
    flooded_.clear();
    flood_count_ = 0;
    flood_range_ = {brick_of(seed), brick_of(seed)};
    BrickWords first{};
    first[slice_of(seed)] = bit_of(seed);
    bool is_anchored = spread_to(brick_of(seed), first);
    TERRANE_ASSERT(queue_.size() == 1 && !is_anchored);
    for (std::size_t next = 0; next < queue_.size() && !is_anchored; ++next) {
        is_anchored = spread(queue_[next], voxels_max);
    }
    const bool is_loose = !is_anchored && !is_too_long();
    decide(is_loose, voxels);
    cost_voxels_ += flood_count_;
    return is_loose;
}

/// Lets the brick's new bits spread within it and on to its neighbours. True if they stand on
/// ground.
bool CoreFlood::spread(std::uint32_t index, std::size_t voxels_max) {
    Brick& brick = bricks_[index];
    brick.is_queued = false;
    read(brick);
    std::uint64_t any = 0;
    BrickWords bits{};
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        const std::uint64_t hit = brick.todo[y] & brick.core[y] & ~brick.flood[y];
        bits[y] = brick.flood[y] | hit;
        any |= hit;
    }
    brick.todo = {};
    if (any == 0) {
        return false;
    }
    fill_brick(bits, brick.core);
    std::uint64_t known = 0;
    BrickWords fresh{};
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        fresh[y] = bits[y] & ~brick.flood[y];
        known |= fresh[y] & brick.decided[y];
        flood_count_ += static_cast<std::size_t>(std::popcount(fresh[y]));
    }
    brick.flood = bits;
    const bool is_far = reach(brick, index);
    if (is_far || known != 0 || flood_count_ > voxels_max) {
        return true;
    }
    const BrickCoord at = brick.at;  // the bricks may move below
    BrickWords low_x{};
    BrickWords high_x{};
    BrickWords low_z{};
    BrickWords high_z{};
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        low_x[y] = (fresh[y] & kLowBits) << 7;
        high_x[y] = (fresh[y] & kHighBits) >> 7;
        low_z[y] = (fresh[y] & kRowLow) << 56;
        high_z[y] = (fresh[y] & kRowHigh) >> 56;
    }
    // Down first: most often the ground is there.
    return spread_to({at.x, at.y - 1, at.z}, {0, 0, 0, 0, 0, 0, 0, fresh[0]}) ||
           spread_to({at.x - 1, at.y, at.z}, low_x) || spread_to({at.x + 1, at.y, at.z}, high_x) ||
           spread_to({at.x, at.y, at.z - 1}, low_z) || spread_to({at.x, at.y, at.z + 1}, high_z) ||
           spread_to({at.x, at.y + 1, at.z}, {fresh[kBrickSize - 1], 0, 0, 0, 0, 0, 0, 0});
}

/// Notes that the flood has voxels in this brick. True if it is too far from the others.
bool CoreFlood::reach(Brick& brick, std::uint32_t index) {
    if (brick.is_flooded) {
        return false;
    }
    brick.is_flooded = true;
    flooded_.push_back(index);
    const BrickCoord& at = brick.at;
    BrickCoord& min = flood_range_.min;
    BrickCoord& max = flood_range_.max;
    min = {std::min(min.x, at.x), std::min(min.y, at.y), std::min(min.z, at.z)};
    max = {std::max(max.x, at.x), std::max(max.y, at.y), std::max(max.z, at.z)};
    // Voxels of bricks so far apart are too; is_too_long looks at the voxels, when all are known.
    constexpr std::int32_t kFar = kLooseSizeMax / kBrickSize + 2;
    return max.x - min.x >= kFar || max.y - min.y >= kFar || max.z - min.z >= kFar;
}

/// Leaves `bits` at the brick at `at`. True if that is ground, or known to stand on it.
bool CoreFlood::spread_to(const BrickCoord& at, const BrickWords& bits) {
    if (is_zero(bits)) {
        return false;
    }
    const std::uint32_t index = find_brick(at);
    if (index >= kGroundBrick) {
        return index == kGroundBrick;
    }
    Brick& brick = bricks_[index];
    std::uint64_t known = 0;
    for (std::size_t y = 0; y < kBrickSize; ++y) {
        brick.todo[y] |= bits[y];
        known |= bits[y] & brick.decided[y];
    }
    if (!brick.is_queued) {
        brick.is_queued = true;
        queue_.push_back(index);
    }
    return known != 0;
}

bool CoreFlood::is_too_long() const {
    VoxelBox box;
    for (const std::uint32_t index : flooded_) {
        const Brick& brick = bricks_[index];
        std::uint64_t shadow = 0;
        std::uint32_t slices = 0;
        for (std::size_t y = 0; y < kBrickSize; ++y) {
            shadow |= brick.flood[y];
            slices |= brick.flood[y] != 0 ? 1U << y : 0U;
        }
        std::uint64_t columns = shadow;
        columns |= columns >> 32;
        columns |= columns >> 16;
        columns |= columns >> 8;
        const auto row = static_cast<std::uint32_t>(columns & 0xffU);
        const VoxelCoord low{std::countr_zero(row), std::countr_zero(slices),
                             std::countr_zero(shadow) >> 3};
        const VoxelCoord high{31 - std::countl_zero(row), 31 - std::countl_zero(slices),
                              (63 - std::countl_zero(shadow)) >> 3};
        box = merge(box, {origin_of(brick.at) + low, origin_of(brick.at) + high});
    }
    const VoxelCoord span = box.max - box.min;
    return span.x >= kLooseSizeMax || span.y >= kLooseSizeMax || span.z >= kLooseSizeMax;
}

void CoreFlood::decide(bool is_loose, std::vector<VoxelCoord>& voxels) {
    for (const std::uint32_t index : flooded_) {
        Brick& brick = bricks_[index];
        if (is_loose) {
            append_voxels(brick.at, brick.flood, voxels);
        }
        for (std::size_t y = 0; y < kBrickSize; ++y) {
            brick.decided[y] |= brick.flood[y];
            brick.taken[y] |= is_loose ? brick.flood[y] : 0;
        }
        brick.flood = {};
        brick.is_flooded = false;
    }
    for (const std::uint32_t index : queue_) {  // some are left if ground was found
        bricks_[index].todo = {};
        bricks_[index].is_queued = false;
    }
    std::ranges::sort(voxels);
}

bool CoreFlood::is_ground(const VoxelCoord& v) {
    const std::uint32_t index = find_brick(brick_of(v));
    if (index >= kGroundBrick) {
        return index == kGroundBrick;
    }
    Brick& brick = bricks_[index];
    read(brick);
    return (brick.core[slice_of(v)] & ~brick.taken[slice_of(v)] & bit_of(v)) != 0;
}

bool CoreFlood::take(const VoxelCoord& v) {
    const std::uint32_t index = find_brick(brick_of(v));
    TERRANE_ASSERT(index < kGroundBrick);
    std::uint64_t& taken = bricks_[index].taken[slice_of(v)];
    const bool is_free = (taken & bit_of(v)) == 0;
    taken |= bit_of(v);
    return is_free;
}

}  // namespace terrane
