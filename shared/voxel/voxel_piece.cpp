// Format version 1:
//
//    0   u8   version = 1
//    1   u8   size x, y, z, each 1 .. 64
//    4   runs until every voxel is named, x fastest, then z, then y; nothing after them
//
// A run is a varint (7 bits a byte, low first, no longer than it must be) of
// (length - 1) * 5 + kind, length 1 .. 64^3, and what its kind asks for:
//
//    0  air
//    1  full (255) voxels of the material of the solid run before
//    2  partial (1 .. 254) voxels of that material; then an occupancy for each
//    3  as 1, but of another material: u8 material follows
//    4  as 2, but of another material: u8 material follows, then the occupancies
//
// One byte says a run of up to 25 voxels. There is one way to write a piece: runs are as long as
// they can be (a run never continues the one before it), and kinds 3 and 4 do change the material
// (before the first solid run there is none). No compressor: pieces are small, and the bytes must
// not depend on a library's version.
#include "shared/voxel/voxel_piece.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "shared/core/assert.h"

namespace terrane {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kRunKinds = 5;
constexpr std::size_t kVoxelsMax =
    static_cast<std::size_t>(kPieceSizeMax) * kPieceSizeMax * kPieceSizeMax;

enum class RunClass : std::uint8_t { air = 0, full = 1, partial = 2 };

RunClass class_of(const Voxel& voxel) {
    if (voxel.material == kAir) {
        return RunClass::air;
    }
    return voxel.occupancy == kFullOccupancy ? RunClass::full : RunClass::partial;
}

std::size_t volume_of(const VoxelCoord& size) {
    return static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) *
           static_cast<std::size_t>(size.z);
}

bool is_valid_size(const VoxelCoord& size) {
    const auto in_range = [](std::int32_t side) { return side >= 1 && side <= kPieceSizeMax; };
    return in_range(size.x) && in_range(size.y) && in_range(size.z);
}

bool has_core(const VoxelPiece& piece) {
    return std::ranges::any_of(piece.voxels, is_core);
}

// ---- decoding ----

/// Reads one run after the other; every step checks what is left.
class PieceReader {
  public:
    PieceReader(std::span<const std::uint8_t> bytes, const PieceLimits& limits)
        : rest_(bytes), limits_(limits) {}

    Result<void> read_runs(VoxelPiece& piece) {
        for (std::size_t at = 0; at < piece.voxels.size();) {
            const auto code = take_varint();
            if (!code) {
                return fail("piece: run at voxel {} is cut short or its length badly written", at);
            }
            const std::size_t length = *code / kRunKinds + 1;
            const std::size_t kind = *code % kRunKinds;
            if (length > piece.voxels.size() - at) {
                return fail("piece: run at voxel {} has {} voxels, {} are left", at, length,
                            piece.voxels.size() - at);
            }
            if (auto read = read_run(kind, std::span(piece.voxels).subspan(at, length), at);
                !read) {
                return read;
            }
            at += length;
        }
        if (!rest_.empty()) {
            return fail("piece: {} bytes left over after its voxels", rest_.size());
        }
        return {};
    }

  private:
    Result<void> read_run(std::size_t kind, std::span<Voxel> out, std::size_t at) {
        const auto run_class = static_cast<RunClass>(kind >= 3 ? kind - 2 : kind);
        if (kind < 3 && previous_ == run_class) {
            return fail("piece: run at voxel {} continues the run before it", at);
        }
        previous_ = run_class;
        if (run_class == RunClass::air) {
            return {};
        }
        solid_count_ += out.size();
        if (solid_count_ > limits_.voxels_max) {
            return fail("piece: more than {} voxels that are not air", limits_.voxels_max);
        }
        if (kind >= 3) {
            if (rest_.empty() || rest_[0] == material_) {
                return fail("piece: run at voxel {} does not name another material", at);
            }
            material_ = rest_[0];
            rest_ = rest_.subspan(1);
        }
        if (material_ < kFirstSolid || material_ >= limits_.material_count) {
            return fail("piece: run at voxel {} has material {}, not {} .. {}", at, material_,
                        kFirstSolid, limits_.material_count - 1);
        }
        if (run_class == RunClass::full) {
            std::ranges::fill(out, Voxel{material_, kFullOccupancy});
            return {};
        }
        return read_occupancies(out, at);
    }

    Result<void> read_occupancies(std::span<Voxel> out, std::size_t at) {
        if (out.size() > rest_.size()) {
            return fail("piece: occupancies of the run at voxel {} are cut short", at);
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (rest_[i] == 0 || rest_[i] == kFullOccupancy) {
                return fail("piece: partial voxel {} has occupancy {}, not 1 .. 254", at + i,
                            rest_[i]);
            }
            out[i] = {material_, rest_[i]};
        }
        rest_ = rest_.subspan(out.size());
        return {};
    }

    /// nullopt if it runs past the end, over 21 bits, or is longer than it must be.
    std::optional<std::size_t> take_varint() {
        std::size_t value = 0;
        for (unsigned shift = 0; shift < 21 && !rest_.empty(); shift += 7) {
            const std::uint8_t byte = rest_[0];
            rest_ = rest_.subspan(1);
            value |= static_cast<std::size_t>(byte & 0x7FU) << shift;
            if ((byte & 0x80U) == 0) {
                return byte == 0 && shift > 0 ? std::nullopt : std::optional(value);
            }
        }
        return std::nullopt;
    }

    std::span<const std::uint8_t> rest_;
    PieceLimits limits_;
    std::optional<RunClass> previous_;
    MaterialId material_ = kAir;
    std::size_t solid_count_ = 0;
};
static_assert((kVoxelsMax - 1) * kRunKinds + kRunKinds - 1 < std::size_t{1} << 21);

// ---- weighing ----

/// What the voxels of one material add up to, coordinates in half voxels (a voxel's centre lies at
/// 2 x + 1). At most 255 * 127^2 * 64^3 = 1.1e12: exact.
struct MaterialSums {
    std::int64_t occupancy = 0;
    std::array<std::int64_t, 3> first{};   ///< x, y, z
    std::array<std::int64_t, 6> second{};  ///< xx, yy, zz, xy, yz, zx
};

void add_voxel(MaterialSums& sums, std::int64_t occupancy, const std::array<std::int64_t, 3>& at) {
    sums.occupancy += occupancy;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t next = (axis + 1) % 3;
        sums.first[axis] += occupancy * at[axis];
        sums.second[axis] += occupancy * at[axis] * at[axis];
        sums.second[3 + axis] += occupancy * at[axis] * at[next];
    }
}

/// Mass and its moments about the piece's origin, kg and metres.
struct Moments {
    double mass = 0.0;
    std::array<double, 3> first{};
    std::array<double, 6> second{};
};

void add_material(Moments& moments, const MaterialSums& sums, double kg_per_unit) {
    moments.mass += kg_per_unit * static_cast<double>(sums.occupancy);
    for (std::size_t i = 0; i < 3; ++i) {
        moments.first[i] += kg_per_unit * (static_cast<double>(sums.first[i]) / 2.0);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        moments.second[i] += kg_per_unit * (static_cast<double>(sums.second[i]) / 4.0);
    }
}

PieceInertia inertia_about_centre(const Moments& moments) {
    std::array<double, 6> about{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t next = (axis + 1) % 3;
        about[axis] =
            moments.second[axis] - moments.first[axis] * moments.first[axis] / moments.mass;
        about[3 + axis] =
            moments.second[3 + axis] - moments.first[axis] * moments.first[next] / moments.mass;
    }
    // A cube of side 1 adds m / 6 about each of its axes.
    const double own = moments.mass / 6.0;
    return {static_cast<float>(about[1] + about[2] + own),
            static_cast<float>(about[2] + about[0] + own),
            static_cast<float>(about[0] + about[1] + own),
            static_cast<float>(-about[3]),
            static_cast<float>(-about[4]),
            static_cast<float>(-about[5])};
}

// ---- principal axes ----

using Matrix = std::array<std::array<double, 3>, 3>;

/// Turns rows p and q so that entry (p, q) of `a` becomes 0; `axes` collects the turns in columns.
void rotate_away(Matrix& a, Matrix& axes, std::size_t p, std::size_t q) {
    if (a[p][q] == 0.0) {
        return;
    }
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double root = std::sqrt(theta * theta + 1.0);
    const double t = theta >= 0.0 ? 1.0 / (theta + root) : 1.0 / (theta - root);
    const double c = 1.0 / std::sqrt(t * t + 1.0);
    const double s = t * c;
    for (std::size_t k = 0; k < 3; ++k) {
        const double kp = a[k][p];
        const double kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const double pk = a[p][k];
        const double qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        const double kp = axes[k][p];
        const double kq = axes[k][q];
        axes[k][p] = c * kp - s * kq;
        axes[k][q] = s * kp + c * kq;
    }
    a[p][q] = 0.0;
    a[q][p] = 0.0;
}

/// Of a rotation matrix by rows. Shepperd's method: divide by the largest component.
Quat quat_of(const Matrix& m) {
    std::array<double, 4> squares{
        1.0 + m[0][0] + m[1][1] + m[2][2], 1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2], 1.0 - m[0][0] - m[1][1] + m[2][2]};
    const auto largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) -
                                                  squares.begin());
    const double whole = 2.0 * std::sqrt(squares[largest]);  // 4 times that component
    const double wx = m[2][1] - m[1][2];
    const double wy = m[0][2] - m[2][0];
    const double wz = m[1][0] - m[0][1];
    const double xy = m[0][1] + m[1][0];
    const double yz = m[1][2] + m[2][1];
    const double zx = m[2][0] + m[0][2];
    const std::array<std::array<double, 4>, 4> rows{{{squares[0], wx, wy, wz},
                                                     {wx, squares[1], xy, zx},
                                                     {wy, xy, squares[2], yz},
                                                     {wz, zx, yz, squares[3]}}};
    const std::array<double, 4>& row = rows[largest];
    return {static_cast<float>(row[0] / whole), static_cast<float>(row[1] / whole),
            static_cast<float>(row[2] / whole), static_cast<float>(row[3] / whole)};
}

}  // namespace

VoxelPiece empty_piece(const VoxelCoord& size) {
    TERRANE_ASSERT(is_valid_size(size));
    return {size, std::vector<Voxel>(volume_of(size))};
}

bool is_valid(const VoxelPiece& piece, std::size_t material_count) {
    const auto is_valid_voxel = [material_count](const Voxel& v) {
        return v == kAirVoxel || (is_solid(v) && v.material < material_count);
    };
    return is_valid_size(piece.size) && piece.voxels.size() == volume_of(piece.size) &&
           std::ranges::all_of(piece.voxels, is_valid_voxel) && has_core(piece);
}

std::size_t solid_count(const VoxelPiece& piece) {
    return static_cast<std::size_t>(std::ranges::count_if(piece.voxels, is_solid));
}

std::vector<std::uint8_t> encode_piece(const VoxelPiece& piece) {
    TERRANE_ASSERT(is_valid(piece, 256));
    std::vector<std::uint8_t> bytes{kPieceFormatVersion, static_cast<std::uint8_t>(piece.size.x),
                                    static_cast<std::uint8_t>(piece.size.y),
                                    static_cast<std::uint8_t>(piece.size.z)};
    MaterialId material = kAir;
    for (std::size_t i = 0; i < piece.voxels.size();) {
        const std::size_t start = i;
        const Voxel& first = piece.voxels[start];
        const RunClass run_class = class_of(first);
        while (i < piece.voxels.size() && piece.voxels[i].material == first.material &&
               class_of(piece.voxels[i]) == run_class) {
            ++i;
        }
        const bool is_new = run_class != RunClass::air && first.material != material;
        std::size_t code =
            (i - start - 1) * kRunKinds + static_cast<std::size_t>(run_class) + (is_new ? 2U : 0U);
        for (; code >= 0x80; code >>= 7) {
            bytes.push_back(static_cast<std::uint8_t>(code | 0x80));
        }
        bytes.push_back(static_cast<std::uint8_t>(code));
        if (is_new) {
            material = first.material;
            bytes.push_back(material);
        }
        for (std::size_t k = start; run_class == RunClass::partial && k < i; ++k) {
            bytes.push_back(piece.voxels[k].occupancy);
        }
    }
    return bytes;
}

Result<VoxelPiece> decode_piece(std::span<const std::uint8_t> bytes, const PieceLimits& limits) {
    const std::size_t bytes_max = piece_bytes_max(std::min(limits.voxels_max, kVoxelsMax));
    if (bytes.size() < kHeaderBytes || bytes.size() > bytes_max) {
        return fail("piece: {} bytes, not {} .. {}", bytes.size(), kHeaderBytes, bytes_max);
    }
    if (bytes[0] != kPieceFormatVersion) {
        return fail("piece: version {}, not {}", bytes[0], kPieceFormatVersion);
    }
    const VoxelCoord size{bytes[1], bytes[2], bytes[3]};
    if (!is_valid_size(size)) {
        return fail("piece: {} x {} x {} voxels, not 1 .. {} a side", size.x, size.y, size.z,
                    kPieceSizeMax);
    }
    VoxelPiece piece = empty_piece(size);
    PieceReader reader(bytes.subspan(kHeaderBytes), limits);
    if (auto read = reader.read_runs(piece); !read) {
        return std::unexpected(std::move(read.error()));
    }
    if (!has_core(piece)) {
        return fail("piece: no voxel is at least half full");
    }
    return piece;
}

PieceMass weigh_piece(const VoxelPiece& piece, std::span<const float> density_kg_m3) {
    std::vector<MaterialSums> by_material(256);
    std::size_t i = 0;
    for (std::int64_t y = 0; y < piece.size.y; ++y) {
        for (std::int64_t z = 0; z < piece.size.z; ++z) {
            for (std::int64_t x = 0; x < piece.size.x; ++x, ++i) {
                const Voxel voxel = piece.voxels[i];
                if (voxel.material != kAir) {
                    add_voxel(by_material[voxel.material], voxel.occupancy,
                              {2 * x + 1, 2 * y + 1, 2 * z + 1});
                }
            }
        }
    }
    Moments moments;
    std::int64_t occupancy = 0;
    for (std::size_t material = 0; material < by_material.size(); ++material) {
        const MaterialSums& sums = by_material[material];
        if (sums.occupancy > 0) {
            TERRANE_ASSERT(material < density_kg_m3.size() && density_kg_m3[material] > 0.0F);
            add_material(moments, sums, static_cast<double>(density_kg_m3[material]) / 255.0);
            occupancy += sums.occupancy;
        }
    }
    TERRANE_ASSERT(occupancy > 0);
    PieceMass mass;
    mass.volume_m3 = static_cast<float>(static_cast<double>(occupancy) / 255.0);
    mass.mass_kg = static_cast<float>(moments.mass);
    mass.centre = {static_cast<float>(moments.first[0] / moments.mass),
                   static_cast<float>(moments.first[1] / moments.mass),
                   static_cast<float>(moments.first[2] / moments.mass)};
    mass.inertia = inertia_about_centre(moments);
    return mass;
}

PrincipalInertia principal_inertia(const PieceInertia& inertia) {
    const double xx = inertia.xx;
    const double yy = inertia.yy;
    const double zz = inertia.zz;
    const double xy = inertia.xy;
    const double yz = inertia.yz;
    const double zx = inertia.zx;
    Matrix a{{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}};
    Matrix axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    // Converges quadratically: six sweeps are more than doubles can tell apart. What is left is
    // below the tensor's own rounding, so that a diagonal tensor is never turned by noise.
    constexpr int kSweeps = 6;
    const double noise = 1e-7 * (xx + yy + zz);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (const auto& [p, q] : {std::pair{0U, 1U}, std::pair{1U, 2U}, std::pair{0U, 2U}}) {
            if (std::fabs(a[p][q]) > noise) {
                rotate_away(a, axes, p, q);
            }
        }
    }
    return {{static_cast<float>(a[0][0]), static_cast<float>(a[1][1]), static_cast<float>(a[2][2])},
            quat_of(axes)};
}

}  // namespace terrane
