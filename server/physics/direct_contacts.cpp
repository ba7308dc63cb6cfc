#include "server/physics/direct_contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "shared/math/segment.h"

namespace terrane {

namespace {

constexpr float kFaceBonusM = 0.0005F;
/// Edges whose directions' cross product is shorter (squared, of 1) are parallel: other axes tell.
constexpr float kParallel2 = 1e-5F;

void find_ball(const Vec3& middle, float radius, const TerrainTriangle& triangle, const Vec3& face,
               float reach, DirectContacts& found) {
    const float height = glm::dot(middle - triangle.a, face);
    if (height > radius + reach) {
        return;
    }
    const Vec3 foot = middle - height * face;
    if (is_over(triangle, face, foot)) {
        found.add({face, foot, height - radius});
        return;
    }
    if (height <= 0.0F) {  // an end of a capsule that sank in elsewhere
        return;
    }
    const Vec3 point = closest_point_on_triangle(middle, triangle.a, triangle.b, triangle.c);
    const Vec3 way = middle - point;
    const float distance2 = glm::dot(way, way);
    if (distance2 > (radius + reach) * (radius + reach)) {
        return;
    }
    const float distance = std::sqrt(distance2);
    const Vec3 normal = distance > 1e-6F ? way / distance : face;
    found.add({normal, point, distance - radius});
}

/// Where two segments come closest, as shares of their ways; nothing if that is at an end of the
/// first, or if they are parallel.
struct SegmentPair {
    float first = 0.0F;
    float second = 0.0F;
};
std::optional<SegmentPair> closest_inside(const Vec3& p, const Vec3& along_p, const Vec3& q,
                                          const Vec3& along_q) {
    const Vec3 r = p - q;
    const float a = glm::dot(along_p, along_p);
    const float b = glm::dot(along_p, along_q);
    const float e = glm::dot(along_q, along_q);
    const float c = glm::dot(along_p, r);
    const float f = glm::dot(along_q, r);
    const float denominator = a * e - b * b;
    if (denominator <= kParallel2 * a * e) {
        return std::nullopt;
    }
    const float second = std::clamp((a * f - b * c) / denominator, 0.0F, 1.0F);
    const float first = (b * second - c) / a;
    if (first <= 0.0F || first >= 1.0F) {
        return std::nullopt;
    }
    return SegmentPair{first, second};
}

void find_capsule(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
                  float reach, DirectContacts& found) {
    const float radius = body.half_extents.x;
    const Vec3 arm = capsule_arm_m(body.half_extents) * body.axes[1];
    find_ball(body.position - arm, radius, triangle, face, reach, found);
    if (glm::dot(arm, arm) == 0.0F) {
        return;
    }
    find_ball(body.position + arm, radius, triangle, face, reach, found);
    const std::array<const Vec3*, 4> corners{&triangle.a, &triangle.b, &triangle.c, &triangle.a};
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 from = body.position - arm;
        const Vec3 edge = *corners[i + 1] - *corners[i];
        const auto pair = closest_inside(from, 2.0F * arm, *corners[i], edge);
        if (!pair.has_value()) {
            continue;
        }
        const Vec3 point = *corners[i] + pair->second * edge;
        const Vec3 way = from + (2.0F * pair->first) * arm - point;
        const float distance = glm::length(way);
        if (distance > radius + reach || glm::dot(way, face) <= 0.0F) {
            continue;
        }
        found.add({distance > 1e-6F ? way / distance : face, point, distance - radius});
    }
}

// ---- box: in its own frame, where its sides are x = +-half.x and so on ----

struct LocalTriangle {
    std::array<Vec3, 3> corners;
    Vec3 face;
};

enum class Meeting : std::uint8_t { face, side, edges };

struct LeastOverlap {
    float separation_m = 0.0F;
    Vec3 normal{0.0F};  ///< from the triangle to the box
    Meeting meeting = Meeting::face;
    int axis = 0;          ///< of the box
    std::size_t edge = 0;  ///< of the triangle, from this corner to the next
};

Vec3 to_local(const Mat3& axes, const Vec3& v) {
    return {glm::dot(axes[0], v), glm::dot(axes[1], v), glm::dot(axes[2], v)};
}

/// The axis across the box's axis `i` and the triangle's edge `j`, where that is not parallel.
/// Takes its place in `best` if it separates by more than `bar`. Returns by how much it separates.
float try_edges(const LocalTriangle& triangle, const Vec3& half, int i, std::size_t j, float& bar,
                LeastOverlap& best) {
    const Vec3& from = triangle.corners[j];
    const Vec3 edge = triangle.corners[(j + 1) % 3] - from;
    const Vec3& opposite = triangle.corners[(j + 2) % 3];
    const int u = (i + 1) % 3;
    const int v = (i + 2) % 3;
    const float length2 = edge[u] * edge[u] + edge[v] * edge[v];
    if (length2 <= kParallel2 * glm::dot(edge, edge)) {
        return best.separation_m;
    }
    const float scale = 1.0F / std::sqrt(length2);
    const float nu = -edge[v] * scale;
    const float nv = edge[u] * scale;
    const float radius = half[u] * std::abs(nu) + half[v] * std::abs(nv);
    const float at_edge = nu * from[u] + nv * from[v];
    const float at_opposite = nu * opposite[u] + nv * opposite[v];
    const float above = -radius - std::max(at_edge, at_opposite);
    const float below = std::min(at_edge, at_opposite) - radius;
    const float separation = std::max(above, below);
    // Only where the edge is what the box meets first, not the corner across.
    const bool is_edge = above > below ? at_edge >= at_opposite : at_edge <= at_opposite;
    if (separation > bar && is_edge) {
        bar = separation;
        const float sign = above > below ? 1.0F : -1.0F;
        best = {separation, Vec3(0.0F), Meeting::edges, i, j};
        best.normal[u] = sign * nu;
        best.normal[v] = sign * nv;
    }
    return separation;
}

/// nullopt if an axis separates them by more than `reach`.
std::optional<LeastOverlap> separate(const LocalTriangle& triangle, const Vec3& half, float reach) {
    const auto& [a, b, c] = triangle.corners;
    LeastOverlap best;
    best.normal = triangle.face;
    best.separation_m = -glm::dot(a, triangle.face) - glm::dot(glm::abs(triangle.face), half);
    if (best.separation_m > reach) {
        return std::nullopt;
    }
    const Vec3 low = glm::min(a, glm::min(b, c));
    const Vec3 high = glm::max(a, glm::max(b, c));
    float bar = best.separation_m + kFaceBonusM;
    for (int i = 0; i < 3; ++i) {
        const float above = -half[i] - high[i];
        const float below = low[i] - half[i];
        const float separation = std::max(above, below);
        if (separation > reach) {
            return std::nullopt;
        }
        if (separation > bar) {
            bar = separation;
            best = {separation, Vec3(0.0F), Meeting::side, i, 0};
            best.normal[i] = above > below ? 1.0F : -1.0F;
        }
    }
    if (best.meeting == Meeting::side) {
        bar += kFaceBonusM;
    }
    for (std::size_t j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            if (try_edges(triangle, half, i, j, bar, best) > reach) {
                return std::nullopt;
            }
        }
    }
    return best;
}

/// A convex polygon that is cut by planes. A triangle and four, or a face and three: 7 at most.
struct Polygon {
    std::array<Vec3, 8> points;
    std::size_t count = 0;

    void add(const Vec3& point) {
        if (count < points.size()) {
            points[count++] = point;
        }
    }
    /// Keeps what has dot(point, normal) <= limit.
    void cut(const Vec3& normal, float limit) {
        Polygon kept;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3& from = points[i];
            const Vec3& to = points[i + 1 == count ? 0 : i + 1];
            const float from_over = glm::dot(from, normal) - limit;
            const float to_over = glm::dot(to, normal) - limit;
            if (from_over <= 0.0F) {
                kept.add(from);
            }
            if ((from_over < 0.0F && to_over > 0.0F) || (from_over > 0.0F && to_over < 0.0F)) {
                kept.add(from + (from_over / (from_over - to_over)) * (to - from));
            }
        }
        *this = kept;
    }
};

/// The box's face that looks at the triangle most, cut by the triangle's sides.
void meet_face(const LocalTriangle& triangle, const Vec3& half, float reach,
               DirectContacts& found) {
    const Vec3 size = glm::abs(triangle.face);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    Polygon polygon;
    for (int i = 0; i < 4; ++i) {
        Vec3 corner{0.0F};
        corner[axis] = triangle.face[axis] > 0.0F ? -half[axis] : half[axis];
        corner[u] = i == 0 || i == 3 ? -half[u] : half[u];
        corner[v] = i < 2 ? -half[v] : half[v];
        polygon.add(corner);
    }
    for (std::size_t j = 0; j < 3 && polygon.count > 0; ++j) {
        const Vec3& from = triangle.corners[j];
        const Vec3 out = glm::cross(triangle.corners[(j + 1) % 3] - from, triangle.face);
        polygon.cut(out, glm::dot(from, out));
    }
    for (std::size_t i = 0; i < polygon.count; ++i) {
        const float depth = glm::dot(polygon.points[i] - triangle.corners[0], triangle.face);
        if (depth <= reach) {
            found.add({triangle.face, polygon.points[i] - depth * triangle.face, depth});
        }
    }
}

/// The triangle, cut by the sides of the box's face.
void meet_side(const LocalTriangle& triangle, const Vec3& half, const LeastOverlap& least,
               float reach, DirectContacts& found) {
    Polygon polygon;
    for (const Vec3& corner : triangle.corners) {
        polygon.add(corner);
    }
    for (int k = 1; k < 3 && polygon.count > 0; ++k) {
        const int side = (least.axis + k) % 3;
        Vec3 out{0.0F};
        out[side] = 1.0F;
        polygon.cut(out, half[side]);
        polygon.cut(-out, half[side]);
    }
    for (std::size_t i = 0; i < polygon.count; ++i) {
        const Vec3& point = polygon.points[i];
        const float depth = -half[least.axis] - point[least.axis] * least.normal[least.axis];
        if (depth <= reach) {
            found.add({least.normal, point, depth});
        }
    }
}

void meet_edges(const LocalTriangle& triangle, const Vec3& half, const LeastOverlap& least,
                DirectContacts& found) {
    Vec3 from{0.0F};
    Vec3 along{0.0F};
    for (int i = 0; i < 3; ++i) {
        from[i] = i == least.axis || least.normal[i] > 0.0F ? -half[i] : half[i];
    }
    along[least.axis] = 2.0F * half[least.axis];
    const Vec3& corner = triangle.corners[least.edge];
    const Vec3 edge = triangle.corners[(least.edge + 1) % 3] - corner;
    const auto pair = closest_inside(from, along, corner, edge);
    if (pair.has_value()) {
        found.add({least.normal, corner + pair->second * edge, least.separation_m});
    }
}

LocalTriangle to_box_frame(const DirectBody& body, const TerrainTriangle& triangle,
                           const Vec3& face) {
    return {{to_local(body.axes, triangle.a - body.position),
             to_local(body.axes, triangle.b - body.position),
             to_local(body.axes, triangle.c - body.position)},
            to_local(body.axes, face)};
}

void find_box(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
              float reach, DirectContacts& found) {
    const LocalTriangle local = to_box_frame(body, triangle, face);
    const auto least = separate(local, body.half_extents, reach);
    if (!least.has_value()) {
        return;
    }
    const std::size_t first = found.count;
    switch (least->meeting) {
        case Meeting::face:
            meet_face(local, body.half_extents, reach, found);
            break;
        case Meeting::side:
            meet_side(local, body.half_extents, *least, reach, found);
            break;
        case Meeting::edges:
            meet_edges(local, body.half_extents, *least, found);
            break;
    }
    for (SurfaceContact& contact : found.all().subspan(first)) {
        contact.normal = body.axes * contact.normal;
        contact.point = body.position + body.axes * contact.point;
    }
}

}  // namespace

float extent_along(const DirectBody& body, const Vec3& direction) {
    const Vec3& half = body.half_extents;
    switch (body.shape) {
        case BodyShape::sphere:
            return half.x;
        case BodyShape::capsule:
            return half.x + capsule_arm_m(half) * std::abs(glm::dot(body.axes[1], direction));
        case BodyShape::cylinder: {
            const float along = glm::dot(body.axes[1], direction);
            return std::abs(along) * half.y +
                   half.x * std::sqrt(std::max(0.0F, 1.0F - along * along));
        }
        default:
            return glm::dot(glm::abs(to_local(body.axes, direction)), half);
    }
}

bool is_over(const TerrainTriangle& triangle, const Vec3& face, const Vec3& point) {
    const auto is_left = [&](const Vec3& from, const Vec3& to) {
        return glm::dot(glm::cross(to - from, point - from), face) >= 0.0F;
    };
    return is_left(triangle.a, triangle.b) && is_left(triangle.b, triangle.c) &&
           is_left(triangle.c, triangle.a);
}

void find_contacts(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
                   float reach_m, DirectContacts& found) {
    switch (body.shape) {
        case BodyShape::sphere:
            find_ball(body.position, body.half_extents.x, triangle, face, reach_m, found);
            break;
        case BodyShape::capsule:
            find_capsule(body, triangle, face, reach_m, found);
            break;
        default:
            find_box(body, triangle, face, reach_m, found);
            break;
    }
}

bool is_near(const DirectBody& body, const TerrainTriangle& triangle, const Vec3& face,
             float reach_m) {
    if (body.shape == BodyShape::sphere) {
        const Vec3 way = body.position - closest_point_on_triangle(body.position, triangle.a,
                                                                   triangle.b, triangle.c);
        const float far = body.half_extents.x + reach_m;
        return glm::dot(way, way) <= far * far;
    }
    const Vec3 half = box_half_extents(body.shape, body.half_extents);
    const LocalTriangle local = to_box_frame(body, triangle, face);
    // From behind the face's own axis is the other way round.
    const LocalTriangle turned{
        local.corners, glm::dot(local.corners[0], local.face) > 0.0F ? -local.face : local.face};
    return separate(turned, half, reach_m).has_value();
}

}  // namespace terrane
