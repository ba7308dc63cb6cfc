#include "client-stub/viewer/piece_painter.h"

#include <utility>

#include "client-stub/session/replica.h"
#include "client-stub/viewer/chunk_mesher.h"
#include "client-stub/viewer/ground_shading.h"
#include "client-stub/viewer/material_look.h"
#include "client-stub/viewer/shading.h"
#include "shared/math/transform.h"

namespace terrane {

namespace {

constexpr std::string_view kVertexText = R"(
uniform mat4 model;
void main() {
    blend_materials();
    v_place = in_position / 256.0;
    v_relative = (model * vec4(v_place, 1.0)).xyz;
    v_normal = in_normal;
    gl_Position = view_projection * vec4(v_relative, 1.0);
}
)";

constexpr std::string_view kFragmentText = R"(
uniform mat4 model;
uniform vec4 tint;
void main() {
    vec3 colour = lit_ground(mat3(model), tint);
    out_colour = vec4(finish_colour(add_fog(colour, v_relative)), 1.0);
}
)";

PlacedShape place(const VisibleBody& body, const PieceParts& parts, const Vec3& eye) {
    Transform transform;
    transform.rotation = body.rotation;
    transform.position = body.position - body.rotation * body.piece->mass.centre;
    PlacedShape placed;
    placed.mesh = &parts.mesh;
    placed.scale = Vec3{1.0F / kMeshUnitsPerMetre};
    placed.tint = body.tint;
    placed.box = transform_box(to_affine(transform), parts.bounds);
    transform.position -= eye;
    placed.relative_model = to_matrix(transform);
    return placed;
}

}  // namespace

Result<PiecePainter> PiecePainter::create() {
    auto program = link_ground("pieces", kVertexText, kFragmentText);
    if (!program) {
        return std::unexpected(program.error());
    }
    return PiecePainter(std::move(*program), GlTable(look_table(MaterialTable(256))));
}

PiecePainter::PiecePainter(GlProgram program, GlTable materials)
    : program_(std::move(program)), materials_(std::move(materials)) {}

void PiecePainter::set_materials(const MaterialTable& materials) {
    MaterialTable all = materials;
    all.resize(256);  // as TerrainPainter does
    materials_ = GlTable(look_table(all));
}

CullCounts PiecePainter::collect(std::span<const VisibleBody> bodies, const ViewFrame& frame,
                                 std::size_t mesh_count_max, RenderLists& lists) {
    CullCounts counts;
    meshes_.update(bodies, frame.eye, mesh_count_max);
    shapes_.clear();
    for (const VisibleBody& body : bodies) {
        const PieceParts* parts = body.piece ? meshes_.find(body.id) : nullptr;
        if (parts == nullptr || parts->mesh.is_empty()) {
            continue;
        }
        const auto index = static_cast<std::uint32_t>(shapes_.size());
        shapes_.push_back(place(body, *parts, frame.eye));
        const Aabb& box = shapes_.back().box;
        if (!is_in_view(frame, box)) {
            ++counts.culled;
            continue;
        }
        ++counts.drawn;
        lists.add(RenderListId::solid, {this, index, distance_to(box, frame.eye)});
    }
    return counts;
}

void PiecePainter::begin_painting() {
    program_.use();
    materials_.bind(kMaterialUnit);
}

void PiecePainter::paint(std::uint32_t index) {
    const PlacedShape& placed = shapes_[index];
    program_.set("model", placed.relative_model);
    program_.set("tint", placed.tint);
    placed.mesh->draw();
}

}  // namespace terrane
