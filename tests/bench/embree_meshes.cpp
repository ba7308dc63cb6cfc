#include "tests/bench/embree_meshes.h"

#include <embree3/rtcore.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace terrane::bench {
namespace {

class EmbreeTriangles final : public EmbreeMeshes {
  public:
    EmbreeTriangles(const TerrainScene& scene, bool is_one)
        : device_(rtcNewDevice("threads=1,set_affinity=0")) {
        std::vector<Vec3> positions;
        std::vector<std::uint32_t> indices;
        for (const SurfaceBrick& surface : scene.surfaces) {
            const Vec3 shift = is_one ? corner_of(origin_of(surface.brick)) : Vec3(0.0F);
            const auto first = static_cast<std::uint32_t>(positions.size());
            for (const Vec3& position : surface.mesh.positions) {
                positions.push_back(position + shift);
            }
            for (const std::uint16_t index : surface.mesh.indices) {
                indices.push_back(first + index);
            }
            if (!is_one) {
                build(positions, indices);
                positions.clear();
                indices.clear();
            }
        }
        if (is_one) {
            build(positions, indices);
        }
    }
    ~EmbreeTriangles() override {
        for (RTCScene scene : scenes_) {
            rtcReleaseScene(scene);
        }
        rtcReleaseDevice(device_);
    }
    EmbreeTriangles(const EmbreeTriangles&) = delete;
    EmbreeTriangles& operator=(const EmbreeTriangles&) = delete;

    std::optional<float> closest_hit(std::size_t mesh, const Ray& ray) const override {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
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
        rtcIntersect1(scenes_[mesh], &context, &asked);
        return asked.hit.geomID == RTC_INVALID_GEOMETRY_ID ? std::nullopt
                                                           : std::optional<float>(asked.ray.tfar);
    }

  private:
    void build(const std::vector<Vec3>& positions, const std::vector<std::uint32_t>& indices) {
        RTCScene scene = rtcNewScene(device_);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           sizeof(Vec3), positions.size());
        std::memcpy(to, positions.data(), positions.size() * sizeof(Vec3));
        to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                     3 * sizeof(std::uint32_t), indices.size() / 3);
        std::memcpy(to, indices.data(), indices.size() * sizeof(std::uint32_t));
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        scenes_.push_back(scene);
    }

    RTCDevice device_;
    std::vector<RTCScene> scenes_;
};

}  // namespace

std::unique_ptr<EmbreeMeshes> make_embree_meshes(const TerrainScene& scene, bool is_one) {
    return std::make_unique<EmbreeTriangles>(scene, is_one);
}

}  // namespace terrane::bench
