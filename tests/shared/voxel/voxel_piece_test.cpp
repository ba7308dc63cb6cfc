#include "shared/voxel/voxel_piece.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/shared/voxel/piece_samples.h"

namespace terrane {
namespace {

using Bytes = std::vector<std::uint8_t>;
using test::ball_piece;
using test::block_piece;
using test::made_piece;

const PieceLimits kLimits{4096, 8};

std::string error_of(const Bytes& bytes, const PieceLimits& limits = kLimits) {
    const auto decoded = decode_piece(bytes, limits);
    return decoded ? "decoded" : decoded.error().message;
}

/// 4 x 1 x 2: rock rock air grass / half-grass half-grass grass air.
VoxelPiece golden_piece() {
    VoxelPiece piece = empty_piece({4, 1, 2});
    piece.voxels = {{2, 255}, {2, 255}, {0, 0}, {3, 255}, {3, 100}, {3, 128}, {3, 255}, {0, 0}};
    return piece;
}
const Bytes kGoldenBytes{1, 4, 1, 2, 8, 2, 0, 3, 3, 7, 100, 128, 1, 0};

double trace_error(const PieceInertia& inertia, const PrincipalInertia& principal) {
    // R diag(moments) R^T must be the tensor again.
    const Mat3 axes = glm::mat3_cast(principal.axes);
    const Mat3 again = axes *
                       Mat3(Vec3(principal.moments.x, 0, 0), Vec3(0, principal.moments.y, 0),
                            Vec3(0, 0, principal.moments.z)) *
                       glm::transpose(axes);
    const Mat3 tensor(Vec3(inertia.xx, inertia.xy, inertia.zx),
                      Vec3(inertia.xy, inertia.yy, inertia.yz),
                      Vec3(inertia.zx, inertia.yz, inertia.zz));
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            worst = std::max(worst, std::fabs(double{again[i][k]} - double{tensor[i][k]}));
        }
    }
    return worst / (double{inertia.xx} + double{inertia.yy} + double{inertia.zz});
}

/// Point by point: every voxel cut into 2^3 cubes with their own inertia.
PieceMass weigh_slowly(const VoxelPiece& piece, std::span<const float> density) {
    double volume = 0.0;
    double mass = 0.0;
    std::array<double, 3> first{};
    std::array<double, 6> second{};
    test::for_each_voxel(voxel_box(piece), [&](const VoxelCoord& v) {
        const Voxel voxel = voxel_of(piece, v);
        volume += voxel.occupancy / 255.0;
        for (int part = 0; part < 8; ++part) {
            const double m = voxel.occupancy / 255.0 * double{density[voxel.material]} / 8.0;
            const double x = v.x + 0.25 + 0.5 * (part & 1);
            const double y = v.y + 0.25 + 0.5 * ((part >> 1) & 1);
            const double z = v.z + 0.25 + 0.5 * (part >> 2);
            const double own = m / 48.0;  // its share of x^2 within a cube of side 1/2
            mass += m;
            first[0] += m * x;
            first[1] += m * y;
            first[2] += m * z;
            second[0] += m * x * x + own;
            second[1] += m * y * y + own;
            second[2] += m * z * z + own;
            second[3] += m * x * y;
            second[4] += m * y * z;
            second[5] += m * z * x;
        }
    });
    const std::array<double, 3> c{first[0] / mass, first[1] / mass, first[2] / mass};
    const auto about = [&](double moment, std::size_t a, std::size_t b) {
        return moment - mass * c[a] * c[b];
    };
    const double xx = about(second[0], 0, 0);
    const double yy = about(second[1], 1, 1);
    const double zz = about(second[2], 2, 2);
    const auto f = [](double value) { return static_cast<float>(value); };
    return {f(volume),
            f(mass),
            {f(c[0]), f(c[1]), f(c[2])},
            {f(yy + zz), f(zz + xx), f(xx + yy), f(-about(second[3], 0, 1)),
             f(-about(second[4], 1, 2)), f(-about(second[5], 2, 0))}};
}

}  // namespace

TEST_CASE("A18 voxel_piece: version 1, byte for byte") {
    CHECK(encode_piece(golden_piece()) == kGoldenBytes);
    CHECK(decode_piece(kGoldenBytes, kLimits).value() == golden_piece());
    CHECK(encode_piece(block_piece({1, 1, 1})) == Bytes{1, 1, 1, 1, 3, 2});
}

TEST_CASE("A18 voxel_piece: what is encoded decodes to the same piece") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, seed % 100 == 0 ? 40 : 9);
        REQUIRE(is_valid(piece, 8));
        const std::size_t count = solid_count(piece);
        const Bytes bytes = encode_piece(piece);
        CHECK(bytes.size() <= piece_bytes_max(count));
        const auto decoded = decode_piece(bytes, {count, 8});
        REQUIRE_MESSAGE(decoded.has_value(), decoded.error().message);
        REQUIRE(*decoded == piece);
        CHECK_FALSE(decode_piece(bytes, {count - 1, 8}).has_value());
    }
}

TEST_CASE("A18 voxel_piece: the largest grid, one voxel in its far corner") {
    VoxelPiece piece = empty_piece({kPieceSizeMax, kPieceSizeMax, kPieceSizeMax});
    piece.voxels.back() = {7, 128};
    const Bytes bytes = encode_piece(piece);
    CHECK(bytes.size() == 4 + 3 + 1 + 1 + 1);
    CHECK(decode_piece(bytes, {1, 8}).value() == piece);
    CHECK(decode_piece(encode_piece(block_piece(piece.size)), {262144, 8}).has_value());
}

TEST_CASE("A18 voxel_piece: pieces stay small") {
    // Of its 4,224 voxels those of the soft skin cost a byte each.
    const VoxelPiece ball = ball_piece(10);
    CHECK(solid_count(ball) == 4224);
    CHECK(encode_piece(ball).size() < 2900);
    CHECK(encode_piece(block_piece({16, 16, 16})).size() == 4 + 3 + 1);
}

TEST_CASE("A18 voxel_piece: every other way to write a piece is refused, with its reason") {
    const auto with = [](std::size_t at, std::uint8_t value) {
        Bytes bytes = kGoldenBytes;
        bytes[at] = value;
        return bytes;
    };
    CHECK(error_of({}) == "piece: 0 bytes, not 4 .. 24583");
    CHECK(error_of(Bytes(24584)) == "piece: 24584 bytes, not 4 .. 24583");
    CHECK(error_of(with(0, 2)) == "piece: version 2, not 1");
    CHECK(error_of(with(1, 0)) == "piece: 0 x 1 x 2 voxels, not 1 .. 64 a side");
    CHECK(error_of(with(2, 65)) == "piece: 4 x 65 x 2 voxels, not 1 .. 64 a side");
    CHECK(error_of(with(3, 1)) == "piece: 5 bytes left over after its voxels");
    CHECK(error_of(with(4, 48)) == "piece: run at voxel 0 has 10 voxels, 8 are left");
    CHECK(error_of(with(4, 6)) == "piece: run at voxel 0 has material 0, not 2 .. 7");
    CHECK(error_of(with(5, 8)) == "piece: run at voxel 0 has material 8, not 2 .. 7");
    CHECK(error_of(with(5, 1)) == "piece: run at voxel 0 has material 1, not 2 .. 7");
    CHECK(error_of(with(8, 2)) == "piece: run at voxel 3 does not name another material");
    CHECK(error_of(with(10, 0)) == "piece: partial voxel 4 has occupancy 0, not 1 .. 254");
    CHECK(error_of(with(11, 255)) == "piece: partial voxel 5 has occupancy 255, not 1 .. 254");
    CHECK(error_of({1, 2, 1, 1, 3, 2, 1}) == "piece: run at voxel 1 continues the run before it");
    CHECK(error_of({1, 2, 1, 1, 0, 0}) == "piece: run at voxel 1 continues the run before it");
    CHECK(error_of({1, 1, 1, 1, 3, 2, 0}) == "piece: 1 bytes left over after its voxels");
    CHECK(error_of({1, 1, 1, 1, 0x83, 0x00, 2}) ==
          "piece: run at voxel 0 is cut short or its length badly written");
    CHECK(error_of({1, 64, 64, 64, 0xff, 0xff, 0xff, 0x01}) ==
          "piece: run at voxel 0 is cut short or its length badly written");
    CHECK(error_of({1, 1, 1, 1, 4, 2, 127}) == "piece: no voxel is at least half full");
    CHECK(error_of({1, 2, 1, 1, 5}) == "piece: no voxel is at least half full");
    CHECK(error_of({1, 2, 1, 1, 8, 2}, {1, 8}) == "piece: more than 1 voxels that are not air");
    for (std::size_t size = 0; size < kGoldenBytes.size(); ++size) {
        CHECK_FALSE(decode_piece(std::span(kGoldenBytes).first(size), kLimits).has_value());
    }
}

TEST_CASE("A18 voxel_piece: bytes that decode encode to themselves") {
    std::size_t accepted = 0;
    for (std::uint64_t seed = 0; seed < 200000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Bytes bytes = encode_piece(test::random_piece(random, 3));
        for (std::uint32_t change = random.below(3); change > 0; --change) {
            const std::uint32_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
            bytes[at] = static_cast<std::uint8_t>(random.below(random.below(2) == 0 ? 8 : 256));
        }
        if (const auto decoded = decode_piece(bytes, kLimits)) {
            ++accepted;
            REQUIRE(is_valid(*decoded, 8));
            REQUIRE(encode_piece(*decoded) == bytes);
        }
    }
    CHECK(accepted > 70000);
}

TEST_CASE("A18 voxel_piece: what is no piece") {
    VoxelPiece piece = block_piece({2, 2, 2});
    CHECK(is_valid(piece, 3));
    CHECK_FALSE(is_valid(piece, 2));
    piece.voxels.pop_back();
    CHECK_FALSE(is_valid(piece, 3));
    piece = block_piece({2, 2, 2});
    piece.voxels[3] = {kWater, 255};
    CHECK_FALSE(is_valid(piece, 3));
    piece.voxels[3] = {kAir, 1};
    CHECK_FALSE(is_valid(piece, 3));
    CHECK_FALSE(is_valid(block_piece({2, 2, 2}, {2, 127}), 3));
    piece = block_piece({1, 1, 1});
    piece.size.x = 65;
    piece.voxels.resize(65, {2, 255});
    CHECK_FALSE(is_valid(piece, 3));
}

TEST_CASE("A18 voxel_piece: mass, centre and inertia of blocks are those of the textbook") {
    const std::vector<float> density{0.0F, 1000.0F, 2500.0F, 1500.0F};
    const PieceMass beam = weigh_piece(block_piece({4, 2, 1}), density);
    CHECK(beam.volume_m3 == 8.0F);
    CHECK(beam.mass_kg == 20000.0F);
    CHECK(beam.centre == Vec3(2.0F, 1.0F, 0.5F));
    const float twelfth = 20000.0F / 12.0F;
    CHECK(beam.inertia.xx == doctest::Approx(twelfth * 5.0F));
    CHECK(beam.inertia.yy == doctest::Approx(twelfth * 17.0F));
    CHECK(beam.inertia.zz == doctest::Approx(twelfth * 20.0F));
    CHECK(beam.inertia.xy == 0.0F);
    CHECK(beam.inertia.yz == 0.0F);
    CHECK(beam.inertia.zx == 0.0F);
    // Half of the mass, the same shape.
    const PieceMass hollow = weigh_piece(block_piece({4, 2, 1}, {3, 153}), density);
    CHECK(hollow.volume_m3 == doctest::Approx(4.8F));
    CHECK(hollow.mass_kg == doctest::Approx(7200.0F));
    CHECK(hollow.inertia.zz == doctest::Approx(600.0F * 20.0F));
}

TEST_CASE("A18 voxel_piece: random pieces weigh what their parts do") {
    const std::vector<float> density{0.0F, 1000.0F, 2500.0F, 1500.0F, 700.0F, 8000.0F};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const VoxelPiece piece = test::random_piece(random, seed % 50 == 0 ? 40 : 8);
        const PieceMass fast = weigh_piece(piece, density);
        const PieceMass slow = weigh_slowly(piece, density);
        const double whole = double{slow.inertia.xx} + double{slow.inertia.yy};
        const auto is_near = [](double a, double b, double scale) {
            return std::fabs(a - b) <= 2e-6 * scale;
        };
        REQUIRE(is_near(fast.volume_m3, slow.volume_m3, slow.volume_m3));
        REQUIRE(is_near(fast.mass_kg, slow.mass_kg, slow.mass_kg));
        REQUIRE(glm::length(fast.centre - slow.centre) < 1e-4F);
        REQUIRE(is_near(fast.inertia.xx, slow.inertia.xx, whole));
        REQUIRE(is_near(fast.inertia.yy, slow.inertia.yy, whole));
        REQUIRE(is_near(fast.inertia.zz, slow.inertia.zz, whole));
        REQUIRE(is_near(fast.inertia.xy, slow.inertia.xy, whole));
        REQUIRE(is_near(fast.inertia.yz, slow.inertia.yz, whole));
        REQUIRE(is_near(fast.inertia.zx, slow.inertia.zx, whole));
        const PrincipalInertia principal = principal_inertia(fast.inertia);
        REQUIRE(trace_error(fast.inertia, principal) < 1e-6);
        REQUIRE(std::fabs(glm::length(principal.axes) - 1.0F) < 1e-6F);
    }
}

TEST_CASE("A18 voxel_piece: an L lies across its principal axes, a block along them") {
    const std::vector<float> density{0.0F, 0.0F, 1.0F};
    const PrincipalInertia block =
        principal_inertia(weigh_piece(block_piece({3, 1, 2}), density).inertia);
    CHECK(block.axes == kNoRotation);
    // Three voxels in the corner of x and y: by symmetry the axes lie at 45 degrees.
    const VoxelPiece corner = made_piece(
        {2, 2, 1}, [](const VoxelCoord& v) { return v.x + v.y < 2 ? Voxel{2, 255} : kAirVoxel; });
    const PieceMass mass = weigh_piece(corner, density);
    CHECK(mass.mass_kg == 3.0F);
    CHECK(mass.centre.x == doctest::Approx(5.0F / 6.0F));
    CHECK(mass.inertia.xy == doctest::Approx(1.0F / 3.0F));
    const PrincipalInertia principal = principal_inertia(mass.inertia);
    CHECK(principal.moments.z == doctest::Approx(double{mass.inertia.zz}));
    CHECK(std::fabs(principal.axes.z) == doctest::Approx(0.3826834));
    CHECK(principal.moments.x + principal.moments.y ==
          doctest::Approx(double{mass.inertia.xx} + double{mass.inertia.yy}));
}

}  // namespace terrane
