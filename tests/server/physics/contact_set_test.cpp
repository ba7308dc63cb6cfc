#include "server/physics/contact_set.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

GroundContact at(float x, float z, float depth) {
    return {{{0.0F, 1.0F, 0.0F}, {x, 0.0F, z}, depth}, 0.8F, false};
}

/// Twice the area of the convex quadrilateral or triangle, whatever the order of its corners.
float area(const std::vector<GroundContact>& contacts, const FourContacts& picked) {
    float best = 0.0F;
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    do {
        float twice = 0.0F;
        for (std::size_t i = 0; i < picked.count; ++i) {
            const Vec3& p = contacts[picked.index[order[i]]].contact.point;
            const Vec3& q = contacts[picked.index[order[(i + 1) % picked.count]]].contact.point;
            twice += p.x * q.z - p.z * q.x;
        }
        best = std::max(best, std::abs(twice));
    } while (std::next_permutation(order.begin(), order.end()));
    return 0.5F * best;
}

}  // namespace

TEST_CASE("A26 contact_set: of many touching points the four that span the base are picked") {
    std::vector<GroundContact> contacts;
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 5; ++k) {
            contacts.push_back(at(static_cast<float>(i), static_cast<float>(k), 0.0F));
        }
    }
    const FourContacts picked = pick_four(contacts);
    REQUIRE(picked.count == 4);
    CHECK(area(contacts, picked) == doctest::Approx(16.0F));
}

TEST_CASE("A26 contact_set: the deepest is always in, touching ones before near ones") {
    const std::uint64_t seed = 26;
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
        std::vector<GroundContact> contacts;
        const auto count = 1 + random.below(12);
        for (std::uint32_t i = 0; i < count; ++i) {
            contacts.push_back(at(random.range(-1.0F, 1.0F), random.range(-1.0F, 1.0F),
                                  random.range(-0.02F, 0.03F)));
        }
        const FourContacts picked = pick_four(contacts);
        REQUIRE(picked.count == std::min<std::size_t>(4, contacts.size()));
        const std::set<std::size_t> distinct(
            picked.index.begin(), picked.index.begin() + static_cast<std::ptrdiff_t>(picked.count));
        REQUIRE(distinct.size() == picked.count);
        const auto depth = [&](std::size_t i) { return contacts[i].contact.depth_m; };
        std::size_t touching = 0;
        std::size_t touching_picked = 0;
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            REQUIRE(depth(picked.index[0]) <= depth(i));
            touching += depth(i) <= kTouchM ? 1U : 0U;
            touching_picked += depth(i) <= kTouchM && distinct.contains(i) ? 1U : 0U;
        }
        REQUIRE(touching_picked == std::min(touching, picked.count));
    }
}

TEST_CASE("A26 contact_set: the same point twice is one, the truer of the two") {
    std::vector<GroundContact> contacts;
    add_contact(contacts, at(0.0F, 0.0F, -0.001F));
    add_contact(contacts, at(0.004F, 0.0F, -0.003F));  // deeper
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].contact.depth_m == -0.003F);
    GroundContact fitted = at(0.0F, 0.0F, -0.005F);
    fitted.is_fitted = true;
    add_contact(contacts, fitted);  // its normal is not its own
    CHECK(contacts[0].contact.depth_m == -0.003F);
    add_contact(contacts, at(0.5F, 0.0F, -0.001F));  // elsewhere
    GroundContact wall = at(0.0F, 0.0F, -0.003F);
    wall.contact.normal = {1.0F, 0.0F, 0.0F};
    add_contact(contacts, wall);  // another normal
    CHECK(contacts.size() == 3);
    CHECK(pick_four({}).count == 0);
}

}  // namespace terrane
