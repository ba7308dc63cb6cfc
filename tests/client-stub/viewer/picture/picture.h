// A generated world and what draws it without a screen, for tests that look at the pictures. Where
// EGL cannot be opened at all they are skipped, with the reason.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "client-stub/viewer/headless_context.h"
#include "client-stub/viewer/renderer.h"
#include "shared/voxel/terrain_generator.h"

namespace terrane::test {

inline constexpr ImageSize kSize{320, 180};
inline constexpr int kRadius = 3;  // chunks

/// Mean colour of the rows [first, last), 0..255.
inline Vec3 mean_colour(const Image& image, int first, int last) {
    Vec3 sum{0.0F};
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < image.size.width; ++x) {
            const auto i = static_cast<std::size_t>(3 * (y * image.size.width + x));
            sum += Vec3{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
        }
    }
    return sum / static_cast<float>((last - first) * image.size.width);
}

inline std::size_t colour_count(const Image& image) {
    std::set<std::array<std::uint8_t, 3>> colours;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
        colours.insert({image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]});
    }
    return colours.size();
}

inline double difference(const Image& a, const Image& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        sum += std::abs(a.rgb[i] - b.rgb[i]);
    }
    return sum / static_cast<double>(a.rgb.size());
}

inline MaterialTable materials() {
    return {{"air"},
            {"water"},
            {"rock", 0.21F, 0.20F, 0.19F},
            {"dirt", 0.15F, 0.085F, 0.045F},
            {"grass", 0.08F, 0.19F, 0.035F},
            {"sand", 0.55F, 0.43F, 0.24F},
            {"snow", 0.80F, 0.84F, 0.88F},
            {"wood", 0.22F, 0.12F, 0.055F}};
}

/// A generated world around its origin, with everything that draws it.
struct Picture {
    std::unique_ptr<HeadlessContext> context;
    std::unique_ptr<Renderer> renderer;
    VoxelGrid grid;
    Camera camera;
    Scenery scenery;
    FrameCounts counts;

    Image draw() {
        auto target = GlFramebuffer::create(kSize);
        REQUIRE(target.has_value());
        for (int frame = 0; frame < 10; ++frame) {
            renderer->meshes().update(grid, camera.position(), 1000);
        }
        CHECK(renderer->meshes().waiting_count() == 0);
        counts = renderer->draw(grid, scenery, camera, &*target, kSize);
        const auto checked = check_gl("the test's frame");
        CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().message));
        return target->read_rgb();
    }
};

/// Null, with a message, if there is no EGL here.
inline std::unique_ptr<Picture> open_picture(const RendererConfig& config = {}) {
    auto context = HeadlessContext::open();
    if (!context) {
        MESSAGE("skipped: ", context.error().message);
        return nullptr;
    }
    auto picture = std::make_unique<Picture>();
    picture->context = std::move(*context);
    auto renderer = Renderer::create(config);
    REQUIRE_MESSAGE(renderer.has_value(), (renderer ? "" : renderer.error().message));
    picture->renderer = std::move(*renderer);
    picture->renderer->set_materials(materials());
    const GeneratorConfig generator;
    const GridBounds& bounds = picture->grid.bounds();
    for (int y = bounds.min.y; y < 2; ++y) {
        for (int z = -kRadius; z <= kRadius; ++z) {
            for (int x = -kRadius; x <= kRadius; ++x) {
                picture->grid.insert({x, y, z}, generate_chunk(generator, bounds, {x, y, z}));
                picture->renderer->meshes().chunk_arrived(picture->grid, {x, y, z});
            }
        }
    }
    const auto ground = static_cast<float>(ground_height_m(generator, 0, 0));
    picture->camera.set_pose({0.5F, ground + 6.0F, 0.5F}, 0.0F, -0.12F);
    picture->camera.set_lens(lens_of(60.0F, 16.0F / 9.0F, 0.1F, 200.0F));
    picture->scenery.view_distance_m = 110.0F;
    return picture;
}

}  // namespace terrane::test
