// Pieces in real pictures, and the cache of their meshes.
#include "client-stub/session/replica.h"
#include "tests/client-stub/viewer/picture/picture.h"

using namespace terrane;
using namespace terrane::test;

namespace {

BodyKindTable kinds_with_piece() {
    BodyKindTable kinds(2);
    kinds[0].shape = BodyShape::player;
    kinds[1].shape = BodyShape::piece;
    return kinds;
}

/// A block of one material; its centre of mass is its middle.
std::shared_ptr<const ReplicaPiece> block(const VoxelCoord& size, MaterialId material) {
    auto piece = std::make_shared<ReplicaPiece>();
    piece->voxels = empty_piece(size);
    for (Voxel& voxel : piece->voxels.voxels) {
        voxel = {material, kFullOccupancy};
    }
    piece->mass = weigh_piece(piece->voxels, std::vector<float>(16, 2000.0F));
    return piece;
}

VisibleBody piece_body(std::uint64_t id, const Vec3& position,
                       std::shared_ptr<const ReplicaPiece> piece) {
    VisibleBody body;
    body.id = id;
    body.kind = 1;
    body.position = position;
    body.piece = std::move(piece);
    return body;
}

}  // namespace

TEST_CASE("A18 picture: a piece is drawn where its centre is, in its material, turned and tinted") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    picture->renderer->set_kinds(kinds_with_piece(), {});
    const Image empty = picture->draw();
    // Of sand, in front of the meadow: redder than that; long across the view.
    const Vec3 ahead = picture->camera.position() + 14.0F * picture->camera.direction();
    std::vector<VisibleBody> bodies{piece_body(7, ahead, block({9, 2, 2}, 5))};
    picture->scenery.bodies = bodies;
    const Image lying = picture->draw();
    CHECK(picture->counts.pieces == 1);
    CHECK(picture->counts.bodies == 1);
    const auto at = [](const Image& image, int x, int y) {
        const auto i = static_cast<std::size_t>(3 * (y * image.size.width + x));
        return Vec3{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
    };
    const int x = kSize.width / 2;
    const int y = kSize.height / 2;
    CHECK(at(lying, x, y).r > at(lying, x, y).b + 20.0F);  // sand
    CHECK(at(lying, x + 30, y) != at(empty, x + 30, y));
    CHECK(at(lying, x - 30, y) != at(empty, x - 30, y));
    CHECK(at(lying, x, y - 30) == at(empty, x, y - 30));

    bodies[0].rotation = glm::angleAxis(1.5707963F, Vec3{0.0F, 0.0F, 1.0F});  // on its end
    const Image standing = picture->draw();
    CHECK(at(standing, x + 30, y - 10) == at(empty, x + 30, y - 10));
    CHECK(at(standing, x, y - 30) != at(empty, x, y - 30));
    bodies[0].tint = {0.1F, 0.25F, 1.0F, 0.65F};
    const Image tinted = picture->draw();
    CHECK(at(tinted, x, y).b - at(tinted, x, y).r > at(standing, x, y).b - at(standing, x, y).r);

    bodies[0].position =
        picture->camera.position() - 14.0F * picture->camera.direction();  // behind
    picture->draw();
    CHECK(picture->counts.pieces == 0);
    bodies[0].position = ahead;
    bodies[0].piece = nullptr;  // its voxels are not here
    picture->draw();
    CHECK(picture->counts.bodies == 0);
}

TEST_CASE("A18 picture: a piece throws a shadow") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    picture->renderer->set_kinds(kinds_with_piece(), {});
    const Vec3 eye = picture->camera.position();
    picture->camera.set_pose(eye, 0.0F, -1.57F);
    picture->scenery.sun_direction = {0.6F, 0.6F, 0.0F};
    const Image sunny = picture->draw();
    const std::vector<VisibleBody> bodies{
        piece_body(7, eye + Vec3{12.0F, 6.0F, 0.0F}, block({4, 2, 4}, 2))};
    picture->scenery.bodies = bodies;
    for (int frame = 0; frame < 3; ++frame) {
        picture->draw();  // the map is drawn anew every few frames
    }
    CHECK(picture->counts.pieces == 0);  // out of the picture
    CHECK(mean_colour(picture->draw(), 80, 100).g < mean_colour(sunny, 80, 100).g - 4.0F);
}

TEST_CASE("A18 picture: a piece is meshed once, a few a frame, and dropped with its node") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    picture->renderer->set_kinds(kinds_with_piece(), {});
    picture->scenery.piece_meshes_max = 4;
    const PieceMeshes& meshes = picture->renderer->piece_meshes();
    const auto piece = block({2, 2, 2}, 2);
    std::vector<VisibleBody> bodies;
    for (std::uint64_t id = 1; id <= 6; ++id) {
        // The farthest first, and some behind the eye: all are meshed, the nearest first.
        bodies.push_back(piece_body(
            id,
            picture->camera.position() + Vec3{0.0F, 0.0F, 30.0F - 5.0F * static_cast<float>(id)},
            piece));
    }
    picture->scenery.bodies = bodies;
    picture->draw();
    CHECK(meshes.count() == 4);
    CHECK(meshes.find(1) == nullptr);
    CHECK(meshes.find(6) != nullptr);
    picture->draw();
    CHECK(meshes.count() == 6);
    picture->draw();
    CHECK(meshes.made_count() == 6);  // and not again

    bodies[5].piece = block({3, 3, 3}, 2);  // another body of that id
    bodies.erase(bodies.begin(), bodies.begin() + 2);
    picture->scenery.bodies = bodies;
    picture->draw();
    CHECK(meshes.count() == 4);
    CHECK(meshes.made_count() == 7);
    CHECK(meshes.find(1) == nullptr);
    CHECK(meshes.find(6)->bounds.max.x > 2.5F);
    CHECK(meshes.find(5)->bounds.max.x < 2.5F);

    picture->scenery.bodies = {};
    picture->draw();
    CHECK(meshes.count() == 0);
}

TEST_CASE("A18 picture: of too many pieces the nearest are kept, the others are not drawn") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const auto piece = block({1, 1, 1}, 2);
    std::vector<VisibleBody> bodies;
    for (std::uint64_t id = 1; id <= kPieceMeshesMax + 20; ++id) {
        bodies.push_back(piece_body(id, Vec3{static_cast<float>(id), 0.0F, 0.0F}, piece));
    }
    PieceMeshes meshes;
    meshes.update(bodies, Vec3{0.0F}, kPieceMeshesMax + 100);
    CHECK(meshes.count() == kPieceMeshesMax);
    CHECK(meshes.find(kPieceMeshesMax) != nullptr);
    CHECK(meshes.find(kPieceMeshesMax + 1) == nullptr);
}
