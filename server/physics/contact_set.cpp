#include "server/physics/contact_set.h"

#include <algorithm>

namespace terrane {

namespace {

/// Points of a body nearer than this, with normals nearer than that (cosine), are one contact.
constexpr float kSamePointM = 0.01F;
constexpr float kSameNormal = 0.98F;

Vec3 on_body(const SurfaceContact& contact) {
    return contact.point + contact.depth_m * contact.normal;
}

/// What `point` adds to the contacts picked so far; the larger the better.
float worth(std::span<const GroundContact> contacts, const FourContacts& picked,
            const GroundContact& candidate) {
    const auto at = [&](std::size_t i) { return contacts[picked.index[i]].contact.point; };
    const Vec3& point = candidate.contact.point;
    switch (picked.count) {
        case 0:
            return -candidate.contact.depth_m;
        case 1: {
            const Vec3 way = point - at(0);
            return glm::dot(way, way);
        }
        case 2: {
            const Vec3 twice_area = glm::cross(at(1) - at(0), point - at(0));
            return glm::dot(twice_area, twice_area);
        }
        default: {
            // How far outside of the triangle, times the side's length: what its area gains.
            const Vec3 up = glm::cross(at(1) - at(0), at(2) - at(0));
            float gain = 0.0F;
            for (std::size_t i = 0; i < 3; ++i) {
                const Vec3 side = at((i + 1) % 3) - at(i);
                gain = std::max(gain, -glm::dot(glm::cross(side, point - at(i)), up));
            }
            return gain;
        }
    }
}

bool is_picked(const FourContacts& picked, std::size_t index) {
    const auto* const end = picked.index.data() + picked.count;
    return std::find(picked.index.data(), end, index) != end;
}

}  // namespace

void add_contact(std::vector<GroundContact>& contacts, const GroundContact& made) {
    const Vec3 point = on_body(made.contact);
    for (GroundContact& old : contacts) {
        const Vec3 way = on_body(old.contact) - point;
        if (glm::dot(way, way) > kSamePointM * kSamePointM ||
            glm::dot(old.contact.normal, made.contact.normal) < kSameNormal) {
            continue;
        }
        const bool is_better = old.is_fitted != made.is_fitted
                                   ? old.is_fitted
                                   : made.contact.depth_m < old.contact.depth_m;
        if (is_better) {
            old = made;
        }
        return;
    }
    contacts.push_back(made);
}

FourContacts pick_four(std::span<const GroundContact> contacts) {
    FourContacts picked;
    while (picked.count < picked.index.size() && picked.count < contacts.size()) {
        std::size_t best = contacts.size();
        float best_worth = 0.0F;
        bool is_best_touching = false;
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            if (is_picked(picked, i)) {
                continue;
            }
            const bool is_touching = contacts[i].contact.depth_m <= kTouchM;
            if (is_best_touching && !is_touching) {
                continue;
            }
            const float its_worth = worth(contacts, picked, contacts[i]);
            if (best == contacts.size() || (is_touching && !is_best_touching) ||
                its_worth > best_worth) {
                best = i;
                best_worth = its_worth;
                is_best_touching = is_touching;
            }
        }
        picked.index[picked.count++] = best;
    }
    return picked;
}

}  // namespace terrane
