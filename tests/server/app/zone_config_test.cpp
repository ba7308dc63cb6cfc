#include "server/app/zone_config.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>

#include "server/app/kind_files.h"
#include "tests/server/app/scratch_config.h"

namespace terrane {
namespace {

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
        {{"edit.reach_m=29"}, "edit.reach_m = 29: with edit.radius_max = 4 must be at most 32 m"},
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
    CHECK(scratch.load({"edit.reach_m=28"}) == "");
    CHECK(scratch.load({"edit.reach_m=60", "view.simulated_chunks=3"}) == "");
    CHECK(scratch.load({"spawn.x_m=511", "spawn.z_m=-512", "zone.sea_level_m=127"}) == "");
    CHECK(scratch.load({"tick.rate_hz=60", "sessions.messages_per_s_max=60"}) == "");
    CHECK(scratch.load({"edit.per_second=0.5"}) ==
          "--set: edit.per_second = 0.5: must be a whole number, 1..1000 (edits/s)");
    CHECK(scratch.load({"tick.rate_hz=25"}) ==
          "--set: tick.rate_hz = 25: must be 20, 30 or 60 (Hz)");
}

TEST_CASE("zone_config: what the zone says is one plain line, or no client would take it") {
    const ScratchConfig scratch;
    scratch.change("zone.toml", "= \"Welcome, {name}.\"", R"(= "Hi\nthere")");
    CHECK(
        scratch.load().find("must be a string of at most 256 bytes, without control characters") !=
        std::string::npos);
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

TEST_CASE("zone_config: a missing neighbour is named") {
    const ScratchConfig scratch;
    std::filesystem::remove(scratch.folder / "bodies.toml");
    CHECK(scratch.load() == "bodies.toml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace terrane
