#include "server/app/zone_config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "server/app/kind_files.h"

namespace terrane {
namespace {

const std::string kConfigFolder = TERRANE_SOURCE_DIR "/config";

std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// A copy of config/ in which a test spoils one file.
struct ScratchConfig {
    std::filesystem::path folder;

    ScratchConfig() {
        char name[] = "/tmp/terrane-zone-XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        folder = name;
        for (const char* file : {"zone.toml", "materials.toml", "bodies.toml"}) {
            write(file, read_file(kConfigFolder + "/" + file));
        }
    }
    ~ScratchConfig() { std::filesystem::remove_all(folder); }
    ScratchConfig(const ScratchConfig&) = delete;
    ScratchConfig& operator=(const ScratchConfig&) = delete;

    void write(const char* file, const std::string& text) const {
        std::ofstream(folder / file) << text;
    }
    /// Replaces the first `from` in `file`, which must be there.
    void change(const char* file, const std::string& from, const std::string& to) const {
        std::string text = read_file((folder / file).string());
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(file, text.replace(at, from.size(), to));
    }
    /// The failing line without the folder, or "".
    std::string load(std::vector<std::string> overrides = {}) const {
        const auto config = load_zone_config((folder / "zone.toml").string(), overrides);
        if (config) {
            return "";
        }
        const std::string prefix = folder.string() + "/";
        std::string line = config.error().message;
        CHECK(line.find('\n') == std::string::npos);
        return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
    }
};

ZoneConfig shipped() {
    const auto config = load_zone_config(kConfigFolder + "/zone.toml");
    REQUIRE_MESSAGE(config, (config ? "" : config.error().message));
    return *config;
}

TEST_CASE("zone_config: every key has a name, unit, range, default and one line of help") {
    ZoneKeys keys;
    Material material;
    std::vector<ConfigTable> tables;
    tables.push_back(declare_zone_keys(keys));
    tables.push_back(declare_material_keys(material));
    BodyKeys body;
    tables.push_back(declare_body_keys(body));
    for (const ConfigTable& table : tables) {
        CHECK(table.keys().size() > 4);
        for (const ConfigKey& key : table.keys()) {
            CAPTURE(key.name);
            CHECK(!key.unit.empty());
            CHECK(!key.range.empty());
            CHECK(!key.default_text.empty());
            CHECK(key.help.size() >= 7);
            CHECK(key.help.ends_with("."));
            CHECK(describe(key).size() <= 100);
        }
    }
}

TEST_CASE("zone_config: zone.toml holds every key with its default under its own description") {
    ZoneKeys keys;
    const ConfigTable table = declare_zone_keys(keys);
    std::istringstream file(read_file(kConfigFolder + "/zone.toml"));
    std::string section;
    std::string before;
    std::map<std::string, std::pair<std::string, std::string>> seen;  // name -> value, comment
    for (std::string line; std::getline(file, line); before = line) {
        if (line.starts_with("[")) {
            section = line.substr(1, line.find(']') - 1) + ".";
        } else if (const std::size_t equals = line.find(" = ");
                   !line.starts_with("#") && equals != std::string::npos) {
            seen[section + line.substr(0, equals)] = {line.substr(equals + 3), before};
        }
    }
    for (const ConfigKey& key : table.keys()) {
        CAPTURE(key.name);
        REQUIRE(seen.contains(key.name));
        CHECK(seen[key.name].first == key.default_text);
        CHECK(seen[key.name].second == describe(key));
    }
    CHECK(seen.size() == table.keys().size());
}

TEST_CASE("zone_config: the shipped files load, with built-in materials and the player's kind") {
    const ZoneConfig config = shipped();
    CHECK(config.tick_rate_hz == 20);
    CHECK(config.substeps_per_tick() == 3);
    CHECK(config.listen.port == 7777);
    CHECK(config.bounds == GridBounds{});
    CHECK(config.terrain.collider_budget_bytes == 64U << 20);
    CHECK(config.worker_threads >= 1);
    REQUIRE(config.materials.size() == 8);
    CHECK(config.materials[kAir].name == "air");
    CHECK(config.materials[kWater].name == "water");
    CHECK(config.materials[kFirstSolid].name == "rock");
    CHECK(config.materials[7].name == "wood");
    CHECK(!config.materials[kWater].can_place);
    CHECK(config.materials[7].can_place);
    REQUIRE(config.kinds.size() == 10);
    CHECK(config.kinds[0].shape == BodyShape::player);
    CHECK(config.kinds[1].name == "crate");
    CHECK(config.kinds[1].half_extents == Vec3(0.3F));
    CHECK(config.kinds[2].half_extents == Vec3(0.3F));
    CHECK(config.kinds[3].shape == BodyShape::cylinder);
    CHECK(config.kinds[3].half_extents == Vec3(0.25F, 1.0F, 0.25F));
    CHECK(config.kinds[4].density_kg_m3 == 2600.0F);
}

TEST_CASE("zone_config: the comments of materials.toml and bodies.toml name every key") {
    Material material;
    const std::string materials = read_file(kConfigFolder + "/materials.toml");
    const ConfigTable material_keys = declare_material_keys(material);
    for (const ConfigKey& key : material_keys.keys()) {
        CAPTURE(key.name);
        const std::string comment = materials.substr(0, materials.find("[[material]]"));
        CHECK(comment.find(key.name) != std::string::npos);
    }
    const std::string bodies = read_file(kConfigFolder + "/bodies.toml");
    const std::string comment = bodies.substr(0, bodies.find("[[body]]"));
    BodyKeys body;
    const ConfigTable body_keys = declare_body_keys(body);
    for (const ConfigKey& key : body_keys.keys()) {
        CAPTURE(key.name);
        CHECK(comment.find(key.name) != std::string::npos);
        const std::string range = key.type == ConfigType::real || key.type == ConfigType::integer
                                      ? "; " + key.range + ";"
                                      : "";
        CHECK(comment.find(range) != std::string::npos);
    }
}

TEST_CASE("zone_config: overrides win over the file, the last one over the others") {
    const std::vector<std::string> overrides = {"zone.seed=5", "zone.size_x_chunks=3",
                                                "zone.seed=6", "workers.threads=0"};
    const auto config = load_zone_config(kConfigFolder + "/zone.toml", overrides);
    REQUIRE(config);
    CHECK(config->generator.seed == 6);
    CHECK(config->bounds.min.x == -1);
    CHECK(config->bounds.max.x == 2);
    CHECK(config->worker_threads == 0);
}

TEST_CASE("zone_config: what is printed as effective loads to the same configuration") {
    const std::vector<std::string> overrides = {"tick.rate_hz=60", "log.level=warn",
                                                "motion.walk_mps=3.25", "zone.size_z_chunks=7"};
    const auto config = load_zone_config(kConfigFolder + "/zone.toml", overrides);
    REQUIRE(config);
    const std::string text = print_effective(*config);
    const ScratchConfig scratch;
    scratch.write("zone.toml", text);
    const auto again = load_zone_config((scratch.folder / "zone.toml").string());
    REQUIRE(again);
    CHECK(print_effective(*again) == text);
    CHECK(again->tick_rate_hz == 60);
    CHECK(again->motion.walk_mps == 3.25F);
    CHECK(text.find("default 20]\nrate_hz = 60\n") != std::string::npos);
}

TEST_CASE("zone_config: keys that do not fit each other are refused in words") {
    const ScratchConfig scratch;
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"tick.rate_hz=60", "sessions.messages_per_s_max=59"},
         "sessions.messages_per_s_max = 59: must be at least tick.rate_hz = 60"},
        {{"motion.radius_m=1.5"}, "motion.height_m = 1.8: must be at least twice"},
        {{"motion.eye_height_m=2"}, "motion.eye_height_m = 2: must be at most motion.height_m"},
        {{"motion.step_height_m=1"}, "motion.step_height_m = 1: must be at most half"},
        {{"spawn.x_m=512"}, "spawn.x_m = 512: must lie in the zone, -512..511 m"},
        {{"spawn.z_m=-513"}, "spawn.z_m = -513: must lie in the zone, -512..511 m"},
        {{"zone.sea_level_m=128"}, "zone.sea_level_m = 128: must lie in the zone, -64..127 m"},
        {{"zone.size_x_chunks=3", "spawn.x_m=64"}, "spawn.x_m = 64: must lie in the zone, -32..63"},
        {{"physics.bodies_max=62"},
         "physics.bodies_max = 62: must be at least 63, what the first"}};
    for (const auto& [overrides, part] : cases) {
        CAPTURE(part);
        CHECK(scratch.load(overrides).starts_with("--set: " + part));
    }
    CHECK(scratch.load({"physics.bodies_max=63"}) == "");
    CHECK(scratch.load({"spawn.x_m=511", "spawn.z_m=-512", "zone.sea_level_m=127"}) == "");
    CHECK(scratch.load({"tick.rate_hz=60", "sessions.messages_per_s_max=60"}) == "");
    CHECK(scratch.load({"edit.per_second=0.5"}) ==
          "--set: edit.per_second = 0.5: must be a whole number, 1..1000 (edits/s)");
    CHECK(scratch.load({"tick.rate_hz=25"}) ==
          "--set: tick.rate_hz = 25: must be 20, 30 or 60 (Hz)");
}

TEST_CASE(
    "zone_config: a value is blamed on the file's line, or on --set if that had the last say") {
    const ScratchConfig scratch;
    scratch.change("zone.toml", "\nx_m = 0\n", "\nx_m = 3000\n");
    const std::string text = read_file((scratch.folder / "zone.toml").string());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find("x_m = 3000"));
    const std::string line = std::to_string(1 + std::count(text.begin(), end, '\n'));
    const std::string part = "spawn.x_m = 3000: must lie in the zone, -512..511 m";
    CHECK(scratch.load() == "zone.toml:" + line + ": " + part);
    CHECK(scratch.load({"spawn.z_m=1", "zone.seed=3"}) == "zone.toml:" + line + ": " + part);
    CHECK(scratch.load({"spawn.x_m=3000"}) == "--set: " + part);
    CHECK(scratch.load({"spawn.x_m=30"}) == "");
}

TEST_CASE("zone_config: addresses are addresses in numbers, checked before anything listens") {
    const ScratchConfig scratch;
    for (const std::string key : {"listen.address", "http.address"}) {
        CAPTURE(key);
        for (const char* good :
             {"127.0.0.1", "0.0.0.0", "::", "::1", "2001:db8::7", "fe80::1%lo"}) {
            CAPTURE(good);
            CHECK(scratch.load({key + "=" + good}) == "");
        }
        for (const char* bad : {"localhost", "127.0.0", "127.0.0.256", "1.2.3.4:7777", "[::1]",
                                ":::", "127.0.0.1 ", "fe80::1%", "127.0.0.1%lo", "*", ""}) {
            CAPTURE(bad);
            CHECK(scratch.load({key + "=" + bad})
                      .starts_with("--set: " + key + " = \"" + bad +
                                   "\": must be an IPv4 or IPv6 address: 127.0.0.1 or ::1 for"));
        }
    }
    CHECK(scratch.load({"http.port=-1"}) == "");
    CHECK(scratch.load({"http.port=-2"}).starts_with("--set: http.port = -2: must be"));
    scratch.change("zone.toml", "\"127.0.0.1\"\n", "\"localhost\"\n");
    CHECK(scratch.load().starts_with("zone.toml:12: listen.address = \"localhost\": must be"));
}

TEST_CASE("zone_config: any kind may have a first_count, 0 if it says none") {
    const std::vector<std::uint32_t> counts = {0, 24, 12, 12, 6, 8, 1, 0, 0, 0};
    CHECK(shipped().first_counts == counts);
    const ScratchConfig scratch;
    const std::string bodies = read_file(kConfigFolder + "/bodies.toml");
    const std::string buoy =
        "\n[[body]]\nname = \"buoy\"\nshape = \"sphere\"\nradius_m = 1\ndensity_kg_m3 = 500\n";
    const auto with = [&](std::uint32_t count) {
        std::vector<std::uint32_t> all = counts;
        all.push_back(count);
        return all;
    };
    scratch.write("bodies.toml", bodies + buoy + "first_count = 7\n");
    const std::string path = (scratch.folder / "zone.toml").string();
    auto config = load_zone_config(path);
    REQUIRE(config);
    CHECK(config->first_counts == with(7));
    CHECK(print_effective(*config).find("# body kind 10: buoy, 500 kg/m3, 7 at the first start") !=
          std::string::npos);
    scratch.write("bodies.toml", bodies + buoy);
    config = load_zone_config(path);
    REQUIRE(config);
    CHECK(config->first_counts == with(0));
    scratch.write("bodies.toml", bodies + buoy + "first_count = 10001\n");
    CHECK(scratch.load().find("first_count = 10001: must be a whole number, 0..10000 (bodies)") !=
          std::string::npos);
    scratch.write("bodies.toml", bodies + buoy + "first_count = 4034\n");
    CHECK(scratch.load().find("physics.bodies_max = 4096: must be at least 4097, what") !=
          std::string::npos);
}

TEST_CASE("zone_config: a wrong material names file, line, key and what would be right") {
    const auto spoiled = [](const std::string& from, const std::string& to) {
        const ScratchConfig scratch;
        scratch.change("materials.toml", from, to);
        return scratch.load();
    };
    CHECK(spoiled("name = \"dirt\"", "name = \"soil\"").find("must be \"dirt\"") !=
          std::string::npos);
    CHECK(spoiled("name = \"wood\"", "name = \"rock\"").find("is taken") != std::string::npos);
    CHECK(spoiled("name = \"wood\"", "name = \"air\"").find("is taken") != std::string::npos);
    CHECK(spoiled("name = \"wood\"", "name = \"Wood\"").find("a-z, 0-9 and _") !=
          std::string::npos);
    CHECK(spoiled("name = \"wood\"\n", "").find("key 'name' is missing") != std::string::npos);
    CHECK(spoiled("friction = 0.8", "fricton = 0.8")
              .find("unknown key 'fricton'; did you mean 'friction'?") != std::string::npos);
    CHECK(spoiled("red = 0.21", "red = 1.21").find(":12: red = 1.21: must be a number, 0..1") !=
          std::string::npos);
    const ScratchConfig few;
    few.write("materials.toml", "[[material]]\nname = \"rock\"\n");
    CHECK(
        few.load() ==
        "materials.toml: has 1 materials: must have at least rock, dirt, grass, sand, snow, wood");
}

TEST_CASE("zone_config: 254 materials are accepted, 255 are not") {
    const ScratchConfig scratch;
    std::string text = read_file(kConfigFolder + "/materials.toml");
    for (int i = 6; i < 254; ++i) {
        text += fmt::format("[[material]]\nname = \"m{}\"\n", i);
    }
    scratch.write("materials.toml", text);
    CHECK(scratch.load() == "");
    scratch.write("materials.toml", text + "[[material]]\nname = \"last\"\n");
    CHECK(scratch.load().find("255 tables: must be at most 254") != std::string::npos);
}

TEST_CASE("zone_config: 127 kinds of bodies are accepted, 128 are not: a Welcome has 128 kinds") {
    const ScratchConfig scratch;
    const std::string shipped_bodies = read_file(kConfigFolder + "/bodies.toml");
    std::string text = shipped_bodies;
    for (int i = 9; i < 127; ++i) {
        text += fmt::format("\n[[body]]\nname = \"b{}\"\nshape = \"sphere\"\nradius_m = 1\n", i) +
                "density_kg_m3 = 500\n";
    }
    scratch.write("bodies.toml", text);
    CHECK(scratch.load() == "");
    scratch.write("bodies.toml", text + "[[body]]\nname = \"last\"\n");
    CHECK(scratch.load().find("128 tables: must be at most 127") != std::string::npos);
    CHECK(shipped_bodies.find("At most\n# 127.") != std::string::npos);
    CHECK(read_file(kConfigFolder + "/materials.toml").find("At most 254.") != std::string::npos);
}

TEST_CASE("zone_config: a wrong body names file, line, key and what would be right") {
    const auto spoiled = [](const std::string& from, const std::string& to) {
        const ScratchConfig scratch;
        scratch.change("bodies.toml", from, to);
        return scratch.load();
    };
    CHECK(spoiled("density_kg_m3 = 350.0", "density_kg_m3 = 0.0")
              .find("density_kg_m3 = 0: must be a number, 1..20000 (kg/m3)") != std::string::npos);
    CHECK(spoiled("density_kg_m3 = 350.0\n", "").find("'density_kg_m3' is missing") !=
          std::string::npos);
    CHECK(spoiled("shape = \"box\"", "shape = \"cone\"")
              .find("shape = \"cone\": must be box, sphere or cylinder") != std::string::npos);
    CHECK(spoiled("size_y_m = 0.6\n", "").find("size_y_m is missing: a box has") !=
          std::string::npos);
    CHECK(spoiled("shape = \"box\"", "shape = \"box\"\nradius_m = 1.0")
              .find("radius_m is not of this shape") != std::string::npos);
    CHECK(spoiled("length_m = 2.0\n", "").find("length_m is missing") != std::string::npos);
    CHECK(spoiled("name = \"ball\" ", "name = \"player\" ").find("is taken") != std::string::npos);
}

std::size_t kind_called(const ZoneConfig& config, const std::string& name) {
    const auto found = std::ranges::find(config.kinds, name, &BodyKind::name);
    REQUIRE(found != config.kinds.end());
    return static_cast<std::size_t>(found - config.kinds.begin());
}

TEST_CASE("zone_config: a kind is solid, hollow or static, with seats, ballast and scattering") {
    const ZoneConfig config = shipped();
    const BodyKind& boat = config.kinds[kind_called(config, "boat")];
    CHECK(boat.mass_kg == 260.0F);
    CHECK(boat.density_kg_m3 == 0.0F);
    CHECK(boat.ballast_m == 0.15F);
    CHECK(boat.thrust_n == 1500.0F);
    CHECK(boat.half_extents == Vec3(0.75F, 0.35F, 1.8F));
    REQUIRE(boat.seats.size() == 4);
    CHECK(boat.seats[0] == Vec3(0.0F, -0.2F, -0.9F));
    CHECK(boat.seats[2] == Vec3(-0.4F, -0.2F, 0.0F));
    CHECK_FALSE(boat.is_static);
    const BodyKind& pine = config.kinds[kind_called(config, "pine")];
    CHECK(pine.is_static);
    CHECK(pine.density_kg_m3 == 600.0F);
    const std::vector<PropScatterRule> rules = to_scatter_rules(config.kinds);
    REQUIRE(rules.size() == 3);
    CHECK(rules[0].kind == 7);
    CHECK(rules[0].per_km2 == 500);
    CHECK(rules[0].radius_16 == 15);  // 0.9 m
    CHECK(rules[1].radius_16 == 4);   // 0.22 m, rounded up
    CHECK(rules[1].low_m == 4);
    CHECK(rules[1].high_m == 60);
}

TEST_CASE(
    "zone_config: a kind that does not agree with itself is refused with what would be right") {
    const auto refusal = [](const std::string& keys) {
        const ScratchConfig scratch;
        scratch.write("bodies.toml", "[[body]]\nname = \"it\"\n" + keys);
        return scratch.load();
    };
    const std::string box = "shape = \"box\"\nsize_x_m = 1\nsize_y_m = 1\nsize_z_m = 2\n";
    CHECK(refusal(box + "mass_kg = 200\n") == "");
    CHECK(refusal(box + "mass_kg = 200\ndensity_kg_m3 = 300\n") ==
          "bodies.toml:7: mass_kg is given beside density_kg_m3: a solid body has density_kg_m3, "
          "a hollow one mass_kg");
    CHECK(refusal(box).find("'density_kg_m3' is missing: a solid body has") != std::string::npos);
    CHECK(
        refusal(box + "mass_kg = 0.5\n").find("mass_kg = 0.5: must be a number, 1..100000 (kg)") !=
        std::string::npos);
    CHECK(refusal(box + "mass_kg = 9\nballast_m = 0.5\n") ==
          "bodies.toml:8: ballast_m = 0.5: must be 0, or of a box and below half its height, "
          "0.5 m");
    CHECK(refusal("shape = \"sphere\"\nradius_m = 1\nmass_kg = 9\nballast_m = 0.1\n")
              .find("ballast_m = 0.1: must be 0, or of a box") != std::string::npos);
    const std::string hollow = box + "mass_kg = 200\n";
    CHECK(refusal(hollow + "seats = \"0 0 0;0.5 -0.5 -1 \"\nthrust_n = 5\n") == "");
    for (const char* seats : {"0 0", "0 0 0 0", "0 0 x", "0,0,0", "0 0 1e99", "0 0 nan", "0 0 1.1",
                              "0 0 0x1", ";0 0 0"}) {
        CAPTURE(seats);
        const std::string line = refusal(hollow + "seats = \"" + seats + "\"\n");
        CHECK(line.starts_with("bodies.toml:8: seats = \""));
        CHECK(
            line.ends_with("must be \"x y z; x y z\", at most 16 of them, metres from the body's "
                           "middle, each in the body: +-0.5, +-0.5, +-1"));
    }
    std::string many = "0 0 0";
    for (int i = 1; i < 16; ++i) {
        many += ";0 0 0";
    }
    CHECK(refusal(hollow + "seats = \"" + many + "\"\n") == "");
    CHECK(refusal(hollow + "seats = \"" + many + ";0 0 0\"\n").find("at most 16") !=
          std::string::npos);
    CHECK(refusal(hollow + "thrust_n = 5\n") ==
          "bodies.toml:8: thrust_n = 5: must be 0 without seats: who sits in the first one rows");
    const std::string fixed = box + "density_kg_m3 = 300\nstatic = true\n";
    CHECK(refusal(fixed + "scatter_per_km2 = 9\n") == "");
    for (const char* key : {"seats = \"0 0 0\"", "thrust_n = 3", "first_count = 2"}) {
        CAPTURE(key);
        CHECK(refusal(fixed + key + "\n").find(" is given beside static = true: a static body") !=
              std::string::npos);
    }
    for (const char* key : {"scatter_per_km2 = 3", "scatter_low_m = 3", "scatter_high_m = 3"}) {
        CAPTURE(key);
        CHECK(refusal(hollow + key + "\n").find(" is given without static = true: what moves") !=
              std::string::npos);
    }
    CHECK(refusal(fixed + "scatter_low_m = 30\nscatter_high_m = 3\n") ==
          "bodies.toml:9: scatter_low_m = 30: must be at most scatter_high_m = 3");
    CHECK(refusal("shape = \"box\"\nsize_x_m = 3\nsize_y_m = 1\nsize_z_m = 2\nstatic = "
                  "true\nmass_kg = 9\n"
                  "scatter_per_km2 = 9\n")
              .ends_with("must be 0 for a body that reaches 1.80 m sideways from its middle: at "
                         "most 1.75 m is scattered"));
    std::string crowd;
    for (int i = 0; i < 4; ++i) {
        crowd += fixed + "scatter_per_km2 = 16000\n" +
                 (i < 3 ? fmt::format("[[body]]\nname = \"it{}\"\n", i) : "");
    }
    CHECK(refusal(crowd) ==
          "bodies.toml: the scatter_per_km2 of all bodies come to 64000: must be at most 62500");
}

TEST_CASE("zone_config: a missing neighbour is named") {
    const ScratchConfig scratch;
    std::filesystem::remove(scratch.folder / "bodies.toml");
    CHECK(scratch.load() == "bodies.toml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace terrane
