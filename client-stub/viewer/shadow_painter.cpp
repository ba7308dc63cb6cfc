#include "client-stub/viewer/shadow_painter.h"

#include <cmath>
#include <utility>

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

#include "client-stub/viewer/shading.h"
#include "shared/math/frustum.h"

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
layout(location = 0) in vec3 in_position;
uniform mat4 clip_from_mesh;
void main() {
    gl_Position = clip_from_mesh * vec4(in_position, 1.0);
}
)";
constexpr std::string_view kFragmentText = "void main() {}";

/// Hills beyond the map's sides may still stand between it and the sun.
constexpr float kDepthReach = 2.5F;
/// How far the eye may go from the map's centre, as a share of its reach.
/// Cosine of a quarter of a degree: while the day passes, the map is drawn anew once a second.
constexpr float kSameSun = 0.99999F;
constexpr float kCentreDrift = 0.12F;
/// Frames between two maps when only bodies have moved.
constexpr int kBodyFrames = 3;

}  // namespace

Result<ShadowPainter> ShadowPainter::create(int side_pixels, float reach_m) {
    const std::array<std::string_view, 1> vertex{kVertexText};
    const std::array<std::string_view, 1> fragment{kFragmentText};
    auto program = GlProgram::link("shadow", vertex, fragment);
    if (!program) {
        return std::unexpected(program.error());
    }
    auto map = GlShadowMap::create(side_pixels);
    if (!map) {
        return std::unexpected(map.error());
    }
    return ShadowPainter(std::move(*program), std::move(*map), reach_m);
}

ShadowPainter::ShadowPainter(GlProgram program, GlShadowMap map, float reach_m)
    : program_(std::move(program)), map_(std::move(map)), reach_m_(reach_m) {}

bool ShadowPainter::must_draw(const ChunkMeshes& meshes, bool has_bodies, const Vec3& eye,
                              const Vec3& sun_direction) {
    ++frames_since_drawn_;
    const bool is_same = is_drawn_ && ground_version_ == meshes.version() &&
                         glm::dot(sun_direction, sun_direction_) > kSameSun &&
                         glm::length(eye - centre_) < kCentreDrift * reach_m_;
    return !is_same || (has_bodies && frames_since_drawn_ >= kBodyFrames);
}

void ShadowPainter::collect(const ChunkMeshes& meshes, const PlacedGroups& groups, const Vec3& eye,
                            const Vec3& sun_direction, RenderLists& lists) {
    const bool has_bodies = !groups[0].empty() || !groups[1].empty();
    is_due_ = must_draw(meshes, has_bodies, eye, sun_direction);
    if (!is_due_) {
        return;
    }
    is_drawn_ = true;
    frames_since_drawn_ = 0;
    ground_version_ = meshes.version();
    sun_direction_ = sun_direction;
    if (glm::length(eye - centre_) >= kCentreDrift * reach_m_) {
        centre_ = eye;  // else stay: a map that jumps by parts of a texel makes edges crawl
    }
    const Vec3 up =
        std::abs(sun_direction.y) > 0.95F ? Vec3{1.0F, 0.0F, 0.0F} : Vec3{0.0F, 1.0F, 0.0F};
    const float depth_m = kDepthReach * reach_m_;
    clip_from_centred_ = glm::ortho(-reach_m_, reach_m_, -reach_m_, reach_m_, -depth_m, depth_m) *
                         glm::lookAt(Vec3{0.0F}, -sun_direction, up);

    casters_.clear();
    const Frustum box = frustum_of(clip_from_centred_ * glm::translate(Mat4{1.0F}, -centre_));
    const auto add = [&](const GlMesh* mesh, std::size_t index_count,
                         const Mat4& centred_from_mesh) {
        lists.add(RenderListId::shadow, {this, static_cast<std::uint32_t>(casters_.size()), 0.0F});
        casters_.push_back({mesh, index_count, clip_from_centred_ * centred_from_mesh});
    };
    for (const auto& [chunk, parts] : meshes.parts()) {
        if (parts.open_index_count > 0 &&
            classify(box, parts.terrain_box) != Containment::outside) {
            add(&parts.terrain, parts.open_index_count,
                glm::scale(glm::translate(Mat4{1.0F}, parts.origin - centre_),
                           Vec3{1.0F / kMeshUnitsPerMetre}));
        }
    }
    const Mat4 centred_from_relative = glm::translate(Mat4{1.0F}, eye - centre_);
    for (const std::span<const PlacedShape> shapes : groups) {
        for (const PlacedShape& placed : shapes) {
            if (classify(box, placed.box) != Containment::outside) {
                add(placed.mesh, placed.mesh->index_count(),
                    centred_from_relative * glm::scale(placed.relative_model, placed.scale));
            }
        }
    }
}

void ShadowPainter::draw_map(const RenderLists& lists) {
    if (is_due_) {
        map_.begin();
        lists.draw(RenderListId::shadow);
    }
}

Mat4 ShadowPainter::shadow_from_relative(const Vec3& eye) const {
    const Mat4 half = glm::scale(glm::translate(Mat4{1.0F}, Vec3{0.5F}), Vec3{0.5F});
    return half * clip_from_centred_ * glm::translate(Mat4{1.0F}, eye - centre_);
}

void ShadowPainter::bind_texture() const {
    map_.bind_texture(kShadowUnit);
}

void ShadowPainter::begin_painting() {
    program_.use();
}

void ShadowPainter::paint(std::uint32_t index) {
    program_.set("clip_from_mesh", casters_[index].clip_from_mesh);
    casters_[index].mesh->draw(casters_[index].index_count);
}

}  // namespace terrane
