#include "server/app/kind_files.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/server/app/scratch_config.h"

namespace terrane {
namespace {

TEST_CASE("kind_files: the comments of materials.toml and bodies.toml name every key") {
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

TEST_CASE("kind_files: any kind may have a first_count, 0 if it says none") {
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

TEST_CASE("kind_files: a wrong material names file, line, key and what would be right") {
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
    CHECK(spoiled("red = 0.21", "red = 1.21").find(":15: red = 1.21: must be a number, 0..1") !=
          std::string::npos);
    const ScratchConfig few;
    few.write("materials.toml", "[[material]]\nname = \"rock\"\n");
    CHECK(
        few.load() ==
        "materials.toml: has 1 materials: must have at least rock, dirt, grass, sand, snow, wood");
}

TEST_CASE("kind_files: 254 materials are accepted, 255 are not") {
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

TEST_CASE("kind_files: 126 kinds of bodies are accepted, 127 are not: a Welcome has 128 kinds") {
    const ScratchConfig scratch;
    const std::string shipped_bodies = read_file(kConfigFolder + "/bodies.toml");
    std::string text = shipped_bodies;
    for (int i = 9; i < 126; ++i) {
        text += fmt::format("\n[[body]]\nname = \"b{}\"\nshape = \"sphere\"\nradius_m = 1\n", i) +
                "density_kg_m3 = 500\n";
    }
    scratch.write("bodies.toml", text);
    CHECK(scratch.load() == "");
    scratch.write("bodies.toml", text + "[[body]]\nname = \"last\"\n");
    CHECK(scratch.load().find("127 tables: must be at most 126") != std::string::npos);
    CHECK(shipped_bodies.find("At most\n# 126.") != std::string::npos);
    CHECK(read_file(kConfigFolder + "/materials.toml").find("At most 254.") != std::string::npos);
}

TEST_CASE("kind_files: a wrong body names file, line, key and what would be right") {
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
              .find("shape = \"cone\": must be box, sphere, cylinder or capsule") !=
          std::string::npos);
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

TEST_CASE("kind_files: a kind is solid, hollow or static, with seats, ballast and scattering") {
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
    "kind_files: a kind that does not agree with itself is refused with what would be right") {
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

}  // namespace
}  // namespace terrane
