// Real pictures of a generated world.
#include "tests/client-stub/viewer/picture/picture.h"

#include "client-stub/viewer/png_file.h"

using namespace terrane;
using namespace terrane::test;

TEST_CASE("C14 picture: sky above, ground below, and neither is one flat colour") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const Image image = picture->draw();
    const Vec3 sky = mean_colour(image, 0, kSize.height / 8);
    const Vec3 ground = mean_colour(image, 3 * kSize.height / 4, kSize.height);
    CHECK(sky.b > sky.r + 15.0F);
    CHECK(sky.b > 120.0F);
    CHECK(ground.g > ground.b + 25.0F);  // meadow
    CHECK(colour_count(image) > 1500);
    CHECK(picture->counts.chunks > 5);
    CHECK(picture->counts.culled > 5);
    CHECK(picture->counts.draw_calls >= picture->counts.chunks);
}

TEST_CASE("C14 picture: the same scene is the same picture, another view is another") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const Image first = picture->draw();
    const Image second = picture->draw();
    CHECK(first.rgb == second.rgb);
    picture->camera.set_pose(picture->camera.position(), 1.6F, -0.12F);
    CHECK(difference(first, picture->draw()) > 3.0);
}

TEST_CASE("C14 picture: a body stands where it is, and is culled behind the camera") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    BodyKindTable kinds(3);
    kinds[0].shape = BodyShape::player;
    kinds[1].shape = BodyShape::sphere;
    kinds[2].half_extents = Vec3{0.5F};
    kinds[2].red = 1.0F;
    kinds[2].green = kinds[2].blue = 0.0F;
    picture->renderer->set_kinds(kinds, {});
    const Image empty = picture->draw();
    std::vector<VisibleBody> bodies(1);
    bodies[0].kind = 2;
    bodies[0].position = picture->camera.position() + 3.0F * picture->camera.direction();
    picture->scenery.bodies = bodies;
    const Image with_crate = picture->draw();
    CHECK(picture->counts.bodies == 1);
    const auto middle =
        static_cast<std::size_t>(3 * ((kSize.height / 2) * kSize.width + kSize.width / 2));
    CHECK(with_crate.rgb[middle] > with_crate.rgb[middle + 1] + 50);  // red
    CHECK(difference(empty, with_crate) > 0.5);
    bodies[0].position = picture->camera.position() - 3.0F * picture->camera.direction();
    picture->draw();
    CHECK(picture->counts.bodies == 0);
    bodies[0].kind = 9;  // a kind that the zone did not name
    picture->draw();
    CHECK(picture->counts.bodies == 0);
}

TEST_CASE("C16 picture: a shadow falls on the ground under a body, and not without the map") {
    for (const bool has_shadows : {true, false}) {
        RendererConfig config;
        config.has_shadows = has_shadows;
        const auto picture = open_picture(config);
        if (!picture) {
            return;
        }
        BodyKindTable kinds(2);
        kinds[1].half_extents = Vec3{2.0F, 0.3F, 2.0F};
        picture->renderer->set_kinds(kinds, {});
        // Straight down on open ground, a plate out of the picture between it and the sun.
        const Vec3 eye = picture->camera.position();
        picture->camera.set_pose(eye, 0.0F, -1.57F);
        picture->scenery.sun_direction = {0.6F, 0.6F, 0.0F};
        const Image sunny = picture->draw();
        std::vector<VisibleBody> bodies(1);
        bodies[0].kind = 1;
        bodies[0].position = eye - Vec3{0.0F, 6.0F, 0.0F} + Vec3{12.0F, 12.0F, 0.0F};
        picture->scenery.bodies = bodies;
        for (int frame = 0; frame < 3; ++frame) {
            picture->draw();  // the map is drawn anew every few frames
        }
        const Image shaded = picture->draw();
        const Vec3 lit = mean_colour(sunny, 80, 100);
        const Vec3 dark = mean_colour(shaded, 80, 100);
        if (has_shadows) {
            CHECK(dark.g < lit.g - 4.0F);
        } else {
            CHECK(dark.g == doctest::Approx(lit.g).epsilon(0.001));
        }
    }
}

TEST_CASE(
    "C16 picture: night is darker than day and bluer than dusk, and the ground is still seen") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const auto ground_at = [&](const Vec3& sun) {
        picture->scenery.sun_direction = sun;
        return mean_colour(picture->draw(), 3 * kSize.height / 4, kSize.height);
    };
    const Vec3 day = ground_at({0.4F, 0.8F, 0.4F});
    const Vec3 dusk = ground_at({-0.99F, 0.1F, 0.1F});
    const Vec3 night = ground_at({0.1F, -0.8F, -0.5F});
    CHECK(night.g < 0.6F * day.g);
    CHECK(night.g > 20.0F);
    CHECK(night.b / night.r > day.b / day.r);
    CHECK(dusk.r / dusk.b > day.r / day.b);
}

TEST_CASE("C11 picture: boats, trunks with crowns and boulders are drawn and culled as one each") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    BodyKindTable kinds(4);
    kinds[0].shape = BodyShape::player;
    kinds[1].half_extents = {0.75F, 0.35F, 1.8F};
    kinds[1].seats = {Vec3{0.0F}};
    kinds[2].shape = BodyShape::cylinder;
    kinds[2].half_extents = {0.22F, 3.0F, 0.22F};
    kinds[2].is_static = true;
    kinds[3].shape = BodyShape::sphere;
    kinds[3].half_extents = Vec3{0.9F};
    kinds[3].is_static = true;
    CHECK(look_of(kinds[1]) == BodyLook::boat);
    CHECK(look_of(kinds[2]) == BodyLook::log);
    CHECK(look_of(kinds[3]) == BodyLook::stone);
    CHECK(has_crown(kinds[2]));
    picture->renderer->set_kinds(kinds, {});
    const Image empty = picture->draw();
    for (std::uint8_t kind = 1; kind < 4; ++kind) {
        CAPTURE(int{kind});
        std::vector<VisibleBody> bodies(1);
        bodies[0].kind = kind;
        bodies[0].position = picture->camera.position() + 6.0F * picture->camera.direction();
        picture->scenery.bodies = bodies;
        CHECK(difference(empty, picture->draw()) > 0.5);
        CHECK(picture->counts.bodies == 1);
        bodies[0].position = picture->camera.position() - 12.0F * picture->camera.direction();
        picture->draw();
        CHECK(picture->counts.bodies == 0);
    }
}

TEST_CASE("C11 picture: an edit shows after its meshes are remade") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const Image before = picture->draw();
    const VoxelCoord ahead =
        voxel_at(picture->camera.position() + 9.0F * picture->camera.direction());
    for (int dy = -3; dy <= 3; ++dy) {
        for (int dx = -3; dx <= 3; ++dx) {
            const VoxelCoord v = ahead + VoxelCoord{dx, dy, 0};
            set_voxel(*picture->grid.find(chunk_of(v)), index_in_chunk(v), {5, kFullOccupancy});
        }
    }
    CHECK(picture->draw().rgb == before.rgb);
    picture->renderer->meshes().voxels_changed(
        {ahead - VoxelCoord{3, 3, 0}, ahead + VoxelCoord{3, 3, 0}});
    CHECK(difference(before, picture->draw()) > 5.0);
}

TEST_CASE("picture: debug shapes are drawn where they are, and gone when there are none") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const Image without = picture->draw();
    const Vec3 ahead = picture->camera.position() + 4.0F * picture->camera.direction();
    const auto middle =
        static_cast<std::size_t>(3 * ((kSize.height / 2) * kSize.width + kSize.width / 2));

    DebugShapes cube;
    cube.add(DebugCube{grow(Aabb{ahead, ahead}, 0.5F), {1.0F, 0.0F, 0.0F, 0.6F}});
    picture->renderer->set_debug(cube);
    const Image with_cube = picture->draw();
    CHECK(with_cube.rgb[middle] > without.rgb[middle] + 40);
    CHECK(with_cube.rgb[middle + 2] < without.rgb[middle + 2]);
    CHECK(with_cube.rgb[0] == without.rgb[0]);

    // A line across the middle, and one that begins behind the eye and ends ahead.
    DebugShapes lines;
    lines.add(
        DebugLine{ahead - Vec3{2.0F, 0.0F, 0.0F}, ahead + Vec3{2.0F, 0.0F, 0.0F}, {1, 0, 1, 1}});
    picture->renderer->set_debug(lines);
    const Image with_line = picture->draw();
    CHECK(difference(without, with_line) > 0.1);
    lines.clear();
    lines.add(DebugLine{
        picture->camera.position() - 3.0F * picture->camera.direction() + Vec3{0.3F, 0.0F, 0.0F},
        ahead,
        {1, 0, 1, 1}});
    picture->renderer->set_debug(lines);
    CHECK(difference(without, picture->draw()) > 0.05);

    picture->renderer->set_debug({});
    CHECK(picture->draw().rgb == without.rgb);
}

TEST_CASE("picture: the ground hides a debug line, unless it is drawn over everything") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    const Image without = picture->draw();
    const Vec3 below = picture->camera.position() + Vec3{0.0F, -14.0F, -20.0F};
    DebugShapes shapes;
    shapes.add(DebugLine{below, below + Vec3{3.0F, 0.0F, 0.0F}, {1, 0, 1, 1}, false});
    picture->renderer->set_debug(shapes);
    CHECK(picture->draw().rgb == without.rgb);
    shapes.lines[0].is_over = true;
    picture->renderer->set_debug(shapes);
    CHECK(difference(without, picture->draw()) > 0.02);
}

TEST_CASE("A2 picture: masks, cells and quads of the ground each show") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    Terrain terrain(picture->grid);
    const GridBounds& bounds = picture->grid.bounds();
    for (int y = bounds.min.y; y < 2; ++y) {
        for (int z = -kRadius; z <= kRadius; ++z) {
            for (int x = -kRadius; x <= kRadius; ++x) {
                terrain.chunk_arrived({x, y, z});
            }
        }
    }
    const Vec3 eye = picture->camera.position();
    picture->camera.set_pose(eye, 0.0F, -0.6F);
    std::vector<Image> images{picture->draw()};
    for (int view = 0; view < 3; ++view) {
        DebugShapes shapes;
        if (view == 0) {
            add_masks(terrain.masks(), eye, shapes);
        } else if (view == 1) {
            add_cells(terrain.masks(), eye, shapes);
        } else {
            add_quads(terrain, eye, shapes);
        }
        CHECK(shapes.left_out == 0);
        picture->renderer->set_debug(shapes);
        images.push_back(picture->draw());
        for (std::size_t other = 0; other + 1 < images.size(); ++other) {
            CHECK(difference(images[other], images.back()) > 2.0);
        }
    }
}

TEST_CASE("picture: a tint is laid over a body's own colours") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    BodyKindTable kinds(2);
    kinds[0].shape = BodyShape::player;
    kinds[1].half_extents = Vec3{0.5F};
    picture->renderer->set_kinds(kinds, {});
    std::vector<VisibleBody> bodies(1);
    bodies[0].kind = 1;
    bodies[0].position = picture->camera.position() + 3.0F * picture->camera.direction();
    picture->scenery.bodies = bodies;
    const Image plain = picture->draw();
    bodies[0].tint = {0.0F, 0.1F, 1.0F, 0.8F};
    const Image blue = picture->draw();
    const auto middle =
        static_cast<std::size_t>(3 * ((kSize.height / 2) * kSize.width + kSize.width / 2));
    CHECK(plain.rgb[middle] > plain.rgb[middle + 2]);
    CHECK(blue.rgb[middle + 2] > blue.rgb[middle] + 50);
}

TEST_CASE("C14 picture: a target of an impossible size is refused, a file that cannot be too") {
    const auto picture = open_picture();
    if (!picture) {
        return;
    }
    CHECK_FALSE(GlFramebuffer::create({0, 10}).has_value());
    CHECK_FALSE(GlFramebuffer::create({1 << 20, 10}).has_value());
    const auto refused = write_png(picture->draw(), "/nonexistent/x.png");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message.find("/nonexistent/x.png") != std::string::npos);
}
