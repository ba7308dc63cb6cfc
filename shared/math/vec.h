// Vectors and rotations: glm's types under the project's names. Right-handed, Y up, metres.
// Whatever decides the simulation uses + - * / and sqrt only, so that every machine gets the same
// bits; sin and cos come from trig.h, never from libm.
#pragma once

#include <cmath>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

namespace terrane {

using Vec2 = glm::vec2;
using Vec3 = glm::vec3;
using Vec4 = glm::vec4;
using Mat3 = glm::mat3;
using Mat4 = glm::mat4;
using Quat = glm::quat;  ///< constructor order w, x, y, z

inline const Quat kNoRotation{1.0F, 0.0F, 0.0F, 0.0F};

inline bool is_finite(const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace terrane
