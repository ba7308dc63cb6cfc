// Who is near whom: a uniform grid over the ground, made anew each tick by a counting sort, since
// ten thousand objects that all move cost less so than any tree's upkeep. Objects of a cell lie
// side by side, the cells of a row too, so a circle is a few contiguous scans; the distance itself,
// in all three dimensions, decides.
//
//   cell of (x, z)   floor(x / cell) and floor(z / cell), each modulo the side: the grid has no
//                    border, what lies a whole grid farther shares a cell and is told apart by its
//                    distance
//   rows             z 0: x 0 .. side - 1 | z 1: … | …      starts_[cell] .. starts_[cell + 1]
//
// A view keeps what it knows a little longer than it takes in what is new (`leave_m` above
// `enter_m`), so that nobody at its rim comes and goes. Asking changes nothing but the scratch: any
// number of threads may ask at once, each with its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/vec.h"

namespace terrane {

struct InterestGridConfig {
    float cell_m = 32.0F;           ///< above 0; about a quarter of a view's radius
    std::uint32_t side_cells = 64;  ///< a power of two
};

/// A set of objects: bit i, object i.
struct InterestSet {
    std::vector<std::uint64_t> words;

    bool has(std::uint32_t object) const {
        return object / 64 < words.size() && (words[object / 64] >> (object % 64) & 1U) != 0;
    }
    std::size_t count() const;
    /// Appends, ascending.
    void list(std::vector<std::uint32_t>& objects) const;
};

/// Owner: whoever asks. Between calls all bits are 0.
struct InterestScratch {
    InterestSet near;
    InterestSet kept;
};

class InterestGrid {
  public:
    explicit InterestGrid(const InterestGridConfig& config = {});

    /// Object i is at positions[i] from now on; a position that is not finite is a hole.
    void update(std::span<const Vec3> positions);

    /// Appends the objects at most `radius_m` from `at`, ascending.
    void find_near(const Vec3& at, float radius_m, std::vector<std::uint32_t>& objects,
                   InterestScratch& scratch) const;
    /// The same in the grid's order (by cell, then ascending): cheaper.
    void find_near_by_cell(const Vec3& at, float radius_m,
                           std::vector<std::uint32_t>& objects) const;
    /// A view's next step: `known` keeps what is at most `leave_m` away and takes in what is at
    /// most `enter_m` away; who came and who went is appended, ascending.
    void update_known(const Vec3& at, float enter_m, float leave_m, InterestSet& known,
                      std::vector<std::uint32_t>& entered, std::vector<std::uint32_t>& left,
                      InterestScratch& scratch) const;

    std::size_t object_count() const { return ids_.size() - kPadding; }
    std::size_t memory_bytes() const;

  private:
    static constexpr std::size_t kPadding = 4;  ///< a scan reads four at a time

    std::int32_t cell_along(float metres) const;
    template <typename Visit>
    void for_each_run(const Vec3& at, float radius_m, const Visit& visit) const;
    template <typename Take>
    void for_each_four(const Vec3& at, float radius_m, const Take& take) const;

    float cells_per_m_;
    float cell_m_;
    std::int32_t side_;
    std::int32_t mask_;
    std::uint32_t position_count_ = 0;
    std::vector<std::uint32_t> cells_;   ///< of positions
    std::vector<std::uint32_t> starts_;  ///< by cell, and the end
    // In the grid's order, and padding after the last.
    std::vector<float> xs_;
    std::vector<float> ys_;
    std::vector<float> zs_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace terrane
