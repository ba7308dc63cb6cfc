#include "client-stub/viewer/piece_meshes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client-stub/session/replica.h"
#include "client-stub/viewer/ground_shading.h"
#include "client-stub/viewer/piece_mesh.h"

namespace terrane {

namespace {

PieceParts make_parts(const std::shared_ptr<const ReplicaPiece>& piece) {
    TerrainMesh mesh;
    mesh_piece_ground(piece->voxels, mesh);
    return {piece,
            GlMesh(std::as_bytes(std::span(mesh.vertices)), sizeof(TerrainVertex),
                   kGroundAttributes, mesh.indices),
            mesh.bounds};
}

}  // namespace

void PieceMeshes::update(std::span<const VisibleBody> bodies, const Vec3& eye,
                         std::size_t count_max) {
    std::unordered_map<std::uint64_t, const VisibleBody*> seen;
    for (const VisibleBody& body : bodies) {
        if (body.piece) {
            seen.emplace(body.id, &body);
        }
    }
    std::erase_if(parts_, [&](const auto& entry) {
        const auto found = seen.find(entry.first);
        return found == seen.end() || found->second->piece != entry.second.piece;
    });
    std::vector<std::pair<float, std::uint64_t>> missing;
    for (const auto& [id, body] : seen) {
        if (!parts_.contains(id)) {
            const Vec3 away = body->position - eye;
            missing.emplace_back(glm::dot(away, away), id);
        }
    }
    const std::size_t room = kPieceMeshesMax - parts_.size();
    const auto end =
        missing.begin() + static_cast<std::ptrdiff_t>(std::min({count_max, room, missing.size()}));
    std::partial_sort(missing.begin(), end, missing.end());
    for (auto it = missing.begin(); it != end; ++it) {
        parts_.emplace(it->second, make_parts(seen.at(it->second)->piece));
        ++made_count_;
    }
}

const PieceParts* PieceMeshes::find(std::uint64_t id) const {
    const auto found = parts_.find(id);
    return found != parts_.end() ? &found->second : nullptr;
}

}  // namespace terrane
