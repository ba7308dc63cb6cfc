#include "client-stub/viewer/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>

namespace terrane {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

}  // namespace

Lens lens_of(float fov_y_deg, float aspect, float near_m, float far_m) {
    const float top = std::tan(fov_y_deg * kPi / 360.0F);
    return {-top * aspect, top * aspect, -top, top, near_m, far_m};
}

Vec3 direction_of(float yaw, float pitch) {
    return {-std::sin(yaw) * std::cos(pitch), std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
}

void Camera::set_pose(const Vec3& position, float yaw, float pitch) {
    const float kept = std::clamp(pitch, -0.5F * kPi, 0.5F * kPi);
    if (position == position_ && yaw == yaw_ && kept == pitch_) {
        return;
    }
    position_ = position;
    yaw_ = yaw;
    pitch_ = kept;
    is_view_stale_ = true;
    is_combined_stale_ = true;
}

void Camera::set_lens(const Lens& lens) {
    if (lens == lens_) {
        return;
    }
    lens_ = lens;
    is_projection_stale_ = true;
    is_combined_stale_ = true;
}

const Mat4& Camera::view() {
    update_view();
    return view_;
}

const Mat4& Camera::projection() {
    update_projection();
    return projection_;
}

const Mat4& Camera::relative_view_projection() {
    update_combined();
    return relative_view_projection_;
}

const Frustum& Camera::frustum() {
    update_combined();
    return frustum_;
}

void Camera::update_view() {
    if (!is_view_stale_) {
        return;
    }
    is_view_stale_ = false;
    rotation_ = glm::rotate(Mat4{1.0F}, -pitch_, Vec3{1.0F, 0.0F, 0.0F});
    rotation_ = glm::rotate(rotation_, -yaw_, Vec3{0.0F, 1.0F, 0.0F});
    view_ = glm::translate(rotation_, -position_);
}

void Camera::update_projection() {
    if (!is_projection_stale_) {
        return;
    }
    is_projection_stale_ = false;
    const float n = lens_.near_m;
    projection_ = glm::frustum(lens_.left * n, lens_.right * n, lens_.bottom * n, lens_.top * n, n,
                               lens_.far_m);
}

void Camera::update_combined() {
    update_view();
    update_projection();
    if (!is_combined_stale_) {
        return;
    }
    is_combined_stale_ = false;
    relative_view_projection_ = projection_ * rotation_;
    frustum_ = frustum_of(projection_ * view_);
}

}  // namespace terrane
