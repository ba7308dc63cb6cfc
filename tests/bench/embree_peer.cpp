#include "tests/bench/embree_peer.h"

#include <embree3/rtcore.h>

namespace terrane::bench {
namespace {

/// What a callback needs of the ray besides Embree's own.
struct ProbeContext {
    RTCIntersectContext base;
    RayProbe probe;
};

class EmbreeBoxes final : public EmbreePeer {
  public:
    EmbreeBoxes(std::span<const Aabb> boxes, EmbreeQuality quality)
        : boxes_(boxes), quality_(quality), device_(rtcNewDevice("threads=1,set_affinity=0")) {}
    ~EmbreeBoxes() override {
        if (scene_ != nullptr) {
            rtcReleaseScene(scene_);
        }
        rtcReleaseDevice(device_);
    }
    EmbreeBoxes(const EmbreeBoxes&) = delete;
    EmbreeBoxes& operator=(const EmbreeBoxes&) = delete;

    void build() override {
        if (scene_ != nullptr) {
            rtcReleaseScene(scene_);
        }
        scene_ = rtcNewScene(device_);
        const bool is_low = quality_ == EmbreeQuality::low;
        // The Morton builder is taken for dynamic scenes only.
        rtcSetSceneFlags(scene_, static_cast<RTCSceneFlags>(
                                     RTC_SCENE_FLAG_ROBUST |
                                     (is_low ? RTC_SCENE_FLAG_DYNAMIC : RTC_SCENE_FLAG_NONE)));
        const RTCBuildQuality quality = is_low ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
        rtcSetSceneBuildQuality(scene_, quality);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry, quality);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes_.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bound, this);
        rtcSetGeometryIntersectFunction(geometry, intersect);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene_, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene_);
    }

    std::optional<BvhHit> closest_hit(const Ray& ray) override {
        ProbeContext context;
        rtcInitIntersectContext(&context.base);
        context.probe = probe_along(ray);
        RTCRayHit asked{};
        asked.ray.org_x = ray.origin.x;
        asked.ray.org_y = ray.origin.y;
        asked.ray.org_z = ray.origin.z;
        asked.ray.dir_x = ray.direction.x;
        asked.ray.dir_y = ray.direction.y;
        asked.ray.dir_z = ray.direction.z;
        asked.ray.tfar = ray.t_max;
        asked.ray.mask = ~0U;
        asked.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene_, &context.base, &asked);
        if (asked.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
            return std::nullopt;
        }
        return BvhHit{asked.hit.primID, asked.ray.tfar};
    }

  private:
    static void bound(const RTCBoundsFunctionArguments* args) {
        const Aabb& box = static_cast<EmbreeBoxes*>(args->geometryUserPtr)->boxes_[args->primID];
        *args->bounds_o = {box.min.x, box.min.y, box.min.z, 0.0F,
                           box.max.x, box.max.y, box.max.z, 0.0F};
    }
    static void intersect(const RTCIntersectFunctionNArguments* args) {
        if (args->valid[0] == 0) {
            return;
        }
        const Aabb& box = static_cast<EmbreeBoxes*>(args->geometryUserPtr)->boxes_[args->primID];
        auto* asked = reinterpret_cast<RTCRayHit*>(args->rayhit);
        const auto* context = reinterpret_cast<const ProbeContext*>(args->context);
        const float t = enter_box(context->probe, box, asked->ray.tfar);
        if (t != kNoHit && (t < asked->ray.tfar || args->primID < asked->hit.primID)) {
            asked->ray.tfar = t;
            asked->hit.primID = args->primID;
            asked->hit.geomID = args->geomID;
        }
    }

    std::span<const Aabb> boxes_;
    EmbreeQuality quality_;
    RTCDevice device_;
    RTCScene scene_ = nullptr;
};

}  // namespace

std::unique_ptr<EmbreePeer> make_embree_peer(std::span<const Aabb> boxes, EmbreeQuality quality) {
    return std::make_unique<EmbreeBoxes>(boxes, quality);
}

}  // namespace terrane::bench
