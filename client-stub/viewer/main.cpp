// terrane-viewer: the command line. What it does is in viewer.h.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "client-stub/session/connection.h"
#include "client-stub/viewer/tree_viewer.h"
#include "client-stub/viewer/viewer.h"
#include "shared/config/option_names.h"
#include "shared/core/clock.h"
#include "shared/protocol/limits.h"

namespace {

using namespace terrane;

constexpr const char* kFooter =
    "Window: WASD walk, space jumps and swims up, shift runs, control sinks, E takes a seat; click "
    "takes\n"
    "the mouse, Esc frees it and then quits; left digs, right places, 1-9 choose the material; "
    "Enter "
    "or T\n"
    "opens a line of chat in the title, F3 shows figures there, F4 goes through the debug views.\n"
    "Chat is printed to stdout.\n"
    "\n"
    "Script, one action a line, seconds from the complete view ('#' starts a comment):\n"
    "  TIME move|run forward|back|left|right|up|down SECONDS\n"
    "  TIME look YAW PITCH        degrees; yaw 0 looks along -Z and grows to the left,\n"
    "                             negative pitch looks down\n"
    "  TIME dig [RADIUS]          the voxel aimed at, or a ball of RADIUS voxels\n"
    "  TIME place MATERIAL [RADIUS]   its name in config/materials.toml, or 1-9 as the keys\n"
    "  TIME use                   takes a seat near, or leaves it\n"
    "  TIME say TEXT              a line of chat\n"
    "  TIME wait SECONDS\n"
    "  TIME screenshot FILE.png\n"
    "\n"
    "Without a screen and without --frames it waits until the chunks in view are there, draws, "
    "saves\n"
    "and exits. Exit 0 = done, 1 = it failed (one line says why), 2 = wrong usage.";

int refuse(const std::string& line) {
    std::fprintf(stderr, "terrane-viewer: %s\n", line.c_str());
    return 2;
}

int give_up(const std::string& line) {
    std::fprintf(stderr, "terrane-viewer: %s\n", line.c_str());
    return 1;
}

/// Flag values that need reading beyond what CLI11 checks.
struct Texts {
    std::string size = "1280x720";
    std::string camera;
    std::string quality = "high";
    std::string debug;
    std::string scene;
    std::string builder = "sah";
    unsigned level = 0;
    unsigned view = 8;
};

void add_flags(CLI::App& app, ViewerOptions& options, Texts& texts) {
    app.footer(kFooter);
    app.set_version_flag("--version", "terrane-viewer " TERRANE_VERSION);
    app.add_option("--connect", options.connect, "the zone, HOST:PORT")->capture_default_str();
    app.add_option("--name", options.name, "the player's name (default: viewer-XXXX)");
    app.add_option("--view", texts.view, "how far to see, chunks of 32 m")
        ->check(CLI::Range(1U, unsigned{kViewChunksMax}))
        ->capture_default_str();
    app.add_flag("--headless", options.is_headless, "no window: draw into a picture");
    app.add_option("--frames", options.frames, "end after so many frames")
        ->check(CLI::Range(1U, 1'000'000U));
    app.add_option("--size", texts.size, "WIDTHxHEIGHT, pixels")->capture_default_str();
    app.add_option("--screenshot", options.screenshot, "save the last frame to this PNG file");
    app.add_option("--camera", texts.camera,
                   "x,y,z,yaw,pitch: a free camera, metres and degrees, negative pitch looks "
                   "down; else the player's eye");
    app.add_option("--script", options.script, "a file of timed actions, see below");
    app.add_option("--report", options.report, "write figures as JSON to this file");
    app.add_option("--quality", texts.quality, "low, high or best (slow: four samples a pixel)")
        ->capture_default_str();
    app.add_option("--debug", texts.debug,
                   "views from the start: masks, cells, quads, contacts, water, sleep, bvh; "
                   "several with commas between");
    app.add_option("--scene", texts.scene,
                   "boxes:COUNT: --debug bvh over boxes, without a zone (keys: 1-9 a level, "
                   "Enter and Backspace a split on and back, E a heap more, T the next builder)");
    app.add_option("--builder", texts.builder, "of the trees that --debug bvh shows")
        ->capture_default_str();
    app.add_option("--level", texts.level, "show this level of the trees alone, 1: the root")
        ->check(CLI::Range(1U, 64U));
    app.add_option("--step", options.step,
                   "with --scene: the build after so many splits, the last one filled in")
        ->check(CLI::Range(1U, kTreeSceneBoxesMax));
    for (const char* name : {"--token"}) {
        app.add_option_function<std::string>(
               name,
               [name](const std::string&) {
                   throw CLI::ValidationError(name, "not in this version");
               },
               "(not in this version)")
            ->expected(0, 1)
            ->group("Later");
    }
}

Result<void> read_tree(const Texts& texts, ViewerOptions& options) {
    const auto builder = builder_named(texts.builder);
    if (!builder) {
        return fail("--builder: {}", builder.error().message);
    }
    options.builder = *builder;
    if (texts.level > 0) {
        options.level = texts.level - 1;
    }
    if (!texts.scene.empty()) {
        const auto scene = parse_tree_scene(texts.scene);
        if (!scene) {
            return fail("--scene: {}", scene.error().message);
        }
        options.scene = *scene;
    } else if (options.step > 0) {
        return fail("--step shows how a tree is built: it needs --scene boxes:COUNT");
    }
    return {};
}

Result<void> read_texts(const Texts& texts, ViewerOptions& options) {
    options.view_chunks = static_cast<std::uint8_t>(texts.view);
    if (const auto address = parse_host_port(options.connect); !address) {
        return fail("--connect: {}", address.error().message);
    }
    const auto size = parse_size(texts.size);
    if (!size) {
        return fail("--size: {}", size.error().message);
    }
    options.size = *size;
    if (!texts.camera.empty()) {
        const auto camera = parse_camera(texts.camera);
        if (!camera) {
            return fail("--camera: {}", camera.error().message);
        }
        options.camera = *camera;
    }
    const auto quality = parse_quality(texts.quality);
    if (!quality) {
        return fail("--quality: {}", quality.error().message);
    }
    options.quality = *quality;
    if (!texts.debug.empty()) {
        const auto debug = parse_debug_views(texts.debug);
        if (!debug) {
            return fail("--debug: {}", debug.error().message);
        }
        options.debug = *debug;
    }
    if (auto tree = read_tree(texts, options); !tree) {
        return tree;
    }
    if (options.name.empty()) {
        options.name = default_name(static_cast<std::uint32_t>(::getpid()));
    }
    if (!options.screenshot.empty()) {
        if (const auto folder = check_folder_of(options.screenshot); !folder) {
            return fail("--screenshot: {}", folder.error().message);
        }
    }
    if (auto purpose = check_purpose(options); !purpose) {
        return purpose;
    }
    if (!options.script.empty()) {
        if (const auto script = read_script(options.script); !script) {
            return fail("--script: {}", script.error().message);
        }
    }
    return {};
}

template <typename AnyViewer>
int run(Result<std::unique_ptr<AnyViewer>> viewer, const ViewerOptions& options) {
    if (!viewer) {
        return give_up(viewer.error().message);
    }
    if (const auto run = (*viewer)->run(); !run) {
        return give_up(run.error().message);
    }
    if (!options.report.empty()) {
        if (const auto written = write_report((*viewer)->report(), options.report); !written) {
            return give_up(written.error().message);
        }
    }
    return 0;
}

int start(const ViewerOptions& options) {
    SteadyClock clock;
    return options.scene ? run(TreeViewer::open(options, clock), options)
                         : run(Viewer::open(options, clock), options);
}

/// Before anything else is found wrong with the command line.
Result<void> check_names(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
    return check_option_names(arguments, known);
}

}  // namespace

int main(int argc, char** argv) {
    ViewerOptions options;
    Texts texts;
    CLI::App app("Shows a terrane zone: in a window, or as pictures without a screen",
                 "terrane-viewer");
    add_flags(app, options, texts);
    if (const auto names = check_names(app, argc, argv); !names) {
        return refuse(names.error().message);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);  // --help, --version
        }
        return refuse(error.what());
    }
    if (const auto read = read_texts(texts, options); !read) {
        return refuse(read.error().message);
    }
    return start(options);
}
