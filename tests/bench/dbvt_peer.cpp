#include "tests/bench/dbvt_peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

namespace terrane::bench {
namespace {

constexpr btScalar kFatMarginM = 0.3F;

btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}

btDbvtVolume volume_of(const Aabb& box) {
    return btDbvtVolume::FromMM(to_bullet(box.min), to_bullet(box.max));
}

struct CollectLeaves final : btDbvt::ICollide {
    std::vector<std::uint32_t>* objects = nullptr;
    void Process(const btDbvtNode* leaf) override {
        objects->push_back(static_cast<std::uint32_t>(leaf->dataAsInt));
    }
};

struct ClosestLeaf final : btDbvt::ICollide {
    RayProbe probe;
    std::span<const Aabb> boxes;
    std::optional<BvhHit> best;
    void Process(const btDbvtNode* leaf) override {
        const auto object = static_cast<std::uint32_t>(leaf->dataAsInt);
        const float t = enter_box(probe, boxes[object], probe.t_max);
        if (t != kNoHit && (!best || t < best->t || (t == best->t && object < best->object))) {
            best = {object, t};
            probe.t_max = t;
        }
    }
};

class BulletDbvt final : public DbvtPeer {
  public:
    explicit BulletDbvt(std::span<const Aabb> boxes) : boxes_(boxes.begin(), boxes.end()) {
        leaves_.resize(boxes.size());
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            BulletDbvt::insert(i, boxes[i]);
        }
        tree_.optimizeTopDown();
    }

    void overlaps(const Aabb& box, std::vector<std::uint32_t>& objects) override {
        CollectLeaves collect;
        collect.objects = &objects;
        tree_.collideTV(tree_.m_root, volume_of(box), collect);
    }

    std::optional<BvhHit> sweep(const Ray& ray, const Vec3& half_extents) override {
        ClosestLeaf closest;
        closest.probe = probe_along(ray, half_extents);
        closest.boxes = boxes_;
        const btVector3 way = to_bullet(ray.direction);
        btVector3 inverse;
        unsigned signs[3];
        for (int axis = 0; axis < 3; ++axis) {
            inverse[axis] = way[axis] == 0.0F ? btScalar(BT_LARGE_FLOAT) : 1.0F / way[axis];
            signs[axis] = inverse[axis] < 0.0F ? 1U : 0U;
        }
        tree_.rayTestInternal(tree_.m_root, to_bullet(ray.origin),
                              to_bullet(ray.origin + ray.t_max * ray.direction), inverse, signs,
                              ray.t_max, to_bullet(-half_extents), to_bullet(half_extents), stack_,
                              closest);
        return closest.best;
    }

    void insert(std::uint32_t object, const Aabb& box) override {
        leaves_[object] = tree_.insert(volume_of(box), nullptr);
        leaves_[object]->dataAsInt = static_cast<int>(object);
        boxes_[object] = box;
    }

    void remove(std::uint32_t object) override { tree_.remove(leaves_[object]); }

    void update(std::span<const Aabb> boxes, std::span<const Aabb> before) override {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            btDbvtVolume volume = volume_of(boxes[i]);
            tree_.update(leaves_[i], volume, to_bullet(boxes[i].min - before[i].min), kFatMarginM);
        }
        tree_.optimizeIncremental(1 + static_cast<int>(boxes.size()) / 100);
    }

  private:
    btDbvt tree_;
    std::vector<Aabb> boxes_;
    std::vector<btDbvtNode*> leaves_;
    btAlignedObjectArray<const btDbvtNode*> stack_;
};

}  // namespace

std::unique_ptr<DbvtPeer> make_dbvt_peer(std::span<const Aabb> boxes) {
    return std::make_unique<BulletDbvt>(boxes);
}

}  // namespace terrane::bench
