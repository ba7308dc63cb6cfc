// A camera: where it stands, how it looks, what its lens takes in. View and projection have flags
// of their own, so that a matrix is computed only after what it depends on has changed; the
// frustum's planes follow from the combined matrix. The lens may be off-centre (a tile of a larger
// picture, an eye of a pair).
//
// Zone coordinates reach thousands of metres, where a float has steps of half a millimetre; so
// drawing uses the matrix relative to the eye, which knows no large numbers.
#pragma once

#include "shared/math/frustum.h"
#include "shared/math/vec.h"

namespace terrane {

/// Edges of the picture on the plane one metre ahead, metres: left and bottom are usually negative.
struct Lens {
    float left = -1.0F;
    float right = 1.0F;
    float bottom = -1.0F;
    float top = 1.0F;
    float near_m = 0.1F;
    float far_m = 1000.0F;

    friend bool operator==(const Lens&, const Lens&) = default;
};

/// A lens around the centre; `aspect` = width / height.
Lens lens_of(float fov_y_deg, float aspect, float near_m, float far_m);

/// yaw 0 looks along -Z and grows to the left, positive pitch looks up; radians.
Vec3 direction_of(float yaw, float pitch);

class Camera {
  public:
    /// Pitch is kept within straight up and straight down.
    void set_pose(const Vec3& position, float yaw, float pitch);
    void set_lens(const Lens& lens);

    const Vec3& position() const { return position_; }
    float yaw() const { return yaw_; }
    float pitch() const { return pitch_; }
    const Lens& lens() const { return lens_; }
    Vec3 direction() const { return direction_of(yaw_, pitch_); }

    /// Zone space to eye space.
    const Mat4& view();
    /// Eye space to clip space.
    const Mat4& projection();
    /// Projection times the view's rotation alone: for points given relative to the eye.
    const Mat4& relative_view_projection();
    /// Of zone space.
    const Frustum& frustum();

  private:
    void update_view();
    void update_projection();
    void update_combined();

    Vec3 position_{0.0F};
    float yaw_ = 0.0F;
    float pitch_ = 0.0F;
    Lens lens_;
    bool is_view_stale_ = true;
    bool is_projection_stale_ = true;
    bool is_combined_stale_ = true;
    Mat4 rotation_{1.0F};
    Mat4 view_{1.0F};
    Mat4 projection_{1.0F};
    Mat4 relative_view_projection_{1.0F};
    Frustum frustum_{};
};

}  // namespace terrane
