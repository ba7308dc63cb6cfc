#include "client-stub/viewer/view_target.h"

#include <cstdio>
#include <utility>

#include "client-stub/viewer/png_file.h"

namespace terrane {

namespace {

constexpr int kBestSamplesPerSide = 2;

RendererConfig renderer_config(PictureQuality quality) {
    RendererConfig config;
    config.has_shadows = quality != PictureQuality::low;
    if (quality == PictureQuality::best) {
        config.shadow_pixels = 4096;
        config.shadow_reach_m = 130.0F;
    }
    return config;
}

Result<void> open_picture(const ViewerOptions& options, ViewTarget& target) {
    auto context = HeadlessContext::open();
    if (!context) {
        return std::unexpected(context.error());
    }
    target.headless = std::move(*context);
    const int scale = options.quality == PictureQuality::best ? kBestSamplesPerSide : 1;
    auto picture = GlFramebuffer::create({scale * options.size.width, scale * options.size.height});
    if (!picture) {
        return std::unexpected(picture.error());
    }
    target.picture.emplace(std::move(*picture));
    return {};
}

Result<void> save(const Image& image, const std::string& path) {
    auto written = write_png(image, path);
    if (written) {
        fmt::print("saved {}\n", path);
        std::fflush(stdout);
    }
    return written;
}

}  // namespace

ImageSize ViewTarget::size() const {
    return window ? window->size() : picture->size();
}

Result<ViewTarget> open_view_target(const ViewerOptions& options, const std::string& title) {
    ViewTarget target;
    target.asked_size = options.size;
    if (options.is_headless) {
        if (auto opened = open_picture(options, target); !opened) {
            return std::unexpected(opened.error());
        }
    } else {
        auto window = Window::open(title, options.size);
        if (!window) {
            return std::unexpected(window.error());
        }
        target.window = std::move(*window);
    }
    auto renderer = Renderer::create(renderer_config(options.quality));
    if (!renderer) {
        return std::unexpected(renderer.error());
    }
    target.renderer = std::move(*renderer);
    return target;
}

Result<void> save_picture(const ViewTarget& target, const std::string& path,
                          const std::function<void(const GlFramebuffer&, ImageSize)>& draw_again) {
    if (target.picture) {
        if (target.size() == target.asked_size) {
            return save(target.picture->read_rgb(), path);
        }
        auto smaller = GlFramebuffer::create(target.asked_size);
        if (!smaller) {
            return std::unexpected(smaller.error());
        }
        target.picture->copy_to(*smaller);
        return save(smaller->read_rgb(), path);
    }
    const ImageSize size = target.size();
    auto picture = GlFramebuffer::create(size);
    if (!picture) {
        return std::unexpected(picture.error());
    }
    draw_again(*picture, size);
    return save(picture->read_rgb(), path);
}

}  // namespace terrane
