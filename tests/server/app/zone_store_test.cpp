// A zone with its store: damaged rows, what may not change between two starts, the last save that
// the disk refuses.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/app/chunk_source.h"
#include "server/app/first_bodies.h"
#include "server/app/saver.h"
#include "tests/server/store/scratch_folder.h"
#include "tests/support/virtual_zone.h"

namespace terrane {
namespace {

using test::test_zone_config;
using test::VirtualZone;
using test::VirtualZoneOptions;

VirtualZoneOptions keeping_in(const ScratchFolder& folder) {
    VirtualZoneOptions options;
    options.data_folder = folder.path;
    return options;
}

/// Digs the voxel under the player's foot; returns it.
VoxelCoord dig_down(VirtualZone& zone, ClientSession& client) {
    const Vec3 foot = client.replica()->own().position;
    const VoxelCoord voxel = voxel_at(foot - Vec3(0.0F, 0.5F, 0.0F));
    REQUIRE(is_solid(zone.zone->world().grid.voxel(voxel)));
    PlayerControls controls;
    controls.pitch = -16384;
    client.tick(controls, std::vector<Brush>{voxel_brush(BrushMode::dig, voxel)});
    zone.ticks(3);
    REQUIRE(zone.zone->world().grid.voxel(voxel) == kAirVoxel);
    return voxel;
}

std::string refused(const ScratchFolder& folder, const ZoneConfig& config) {
    return refusal(folder, to_store_versions(config));
}

TEST_CASE("zone: a damaged chunk is grown anew, and its row is kept when the next edit is saved") {
    const ScratchFolder folder;
    const ZoneConfig config = test_zone_config();
    VoxelCoord dug;
    {
        VirtualZone zone(config, keeping_in(folder));
        dug = dig_down(zone, zone.join("ada"));
        zone.zone->close();
    }
    const std::int64_t length = folder.sql("SELECT length FROM chunks");
    const std::int64_t hash = folder.sql("SELECT hash FROM chunks");
    folder.sql("UPDATE chunks SET hash = hash + 1");
    {
        VirtualZone zone(config, keeping_in(folder));
        CHECK(zone.store->stats().bad_rows == 1);
        CHECK(is_solid(zone.zone->world().grid.voxel(dug)));
        CHECK(zone.zone->failure() == "");
        PlayerControls controls;
        controls.pitch = -16384;
        zone.join("ada").tick(controls, std::vector<Brush>{voxel_brush(BrushMode::dig, dug)});
        zone.ticks(3);
        CHECK(zone.zone->world().grid.voxel(dug) == kAirVoxel);
        zone.zone->close();
        CHECK(zone.store->stats().chunks_kept_aside == 1);
    }
    CHECK(folder.sql("SELECT count(*) FROM damaged_chunks") == 1);
    CHECK(folder.sql("SELECT length FROM damaged_chunks") == length);
    CHECK(folder.sql("SELECT hash FROM damaged_chunks") == hash + 1);
    VirtualZone zone(config, keeping_in(folder));
    CHECK(zone.store->stats().bad_rows == 0);
    CHECK(zone.zone->world().grid.voxel(dug) == kAirVoxel);
}

TEST_CASE("zone: a chunk whose bytes are whole and mean nothing is kept aside as well") {
    const ScratchFolder folder;
    const ZoneConfig config = test_zone_config();
    {
        auto store = Store::open(folder.path, to_store_versions(config));
        REQUIRE(store);
        StoreBatch batch;
        batch.tick = 1;
        batch.chunks = {{{0, 0, 0}, make_blob(1)}};
        REQUIRE((*store)->submit(batch));
    }
    VirtualZone zone(config, keeping_in(folder));
    CHECK(zone.store->stats().bad_rows == 1);
    StoreBatch batch;
    batch.tick = 2;
    batch.chunks = {{{0, 0, 0}, make_blob(2)}};
    REQUIRE(zone.store->submit(batch));
    zone.store->drain();
    CHECK(zone.store->stats().chunks_kept_aside == 1);
}

TEST_CASE("zone: a chunk that cannot be read stops the zone, and its row is still there") {
    const ScratchFolder folder;
    const ZoneConfig config = test_zone_config();
    {
        VirtualZone zone(config, keeping_in(folder));
        dig_down(zone, zone.join("ada"));
        zone.zone->close();
    }
    const std::string whole = read_bytes(folder.file());
    {
        auto store = Store::open(folder.path, to_store_versions(config));
        REQUIRE(store);
        REQUIRE(truncate(folder.file().c_str(), 4096) == 0);
        VirtualClock clock;
        LoopbackCarrier carrier(LoopbackConfig{{}, 0});
        WorkerPool workers(0);
        Zone zone(config, {&clock, &carrier, &workers, store->get(), true});
        zone.open();
        CHECK(zone.failure().find("cannot be read: ") != std::string::npos);
        zone.close();
        CHECK((*store)->stats().commits == 0);
    }
    std::ofstream(folder.file(), std::ios::binary | std::ios::trunc) << whole;
    std::filesystem::remove(folder.file() + "-wal");
    CHECK(folder.sql("SELECT count(*) FROM chunks") == 1);
}

TEST_CASE("zone: data made with other terrain settings or materials are refused by name") {
    const ScratchFolder folder;
    const ZoneConfig config = test_zone_config();
    CHECK(refused(folder, config) == "");
    ZoneConfig other = config;
    other.generator.seed += 1;
    CHECK(refused(folder, other).find("set zone.seed back") != std::string::npos);
    other = config;
    other.generator.sea_level_m = 3;
    CHECK(refused(folder, other).find("set zone.sea_level_m back") != std::string::npos);
    other = config;
    other.bounds.max.x += 1;
    CHECK(refused(folder, other).find("set zone.size_x_chunks back") != std::string::npos);
    other = config;
    other.bounds.max.z += 1;
    CHECK(refused(folder, other).find("set zone.size_z_chunks back") != std::string::npos);
    other = config;
    other.bounds.min.y -= 1;
    CHECK(refused(folder, other).find("set zone.min_y_chunks back") != std::string::npos);
    other = config;
    other.bounds.max.y += 1;
    CHECK(refused(folder, other).find("set zone.max_y_chunks back") != std::string::npos);
    other = config;
    other.materials.push_back({"clay"});
    CHECK(refused(folder, other) == "");
    std::swap(other.materials[7], other.materials[8]);
    CHECK(refused(folder, other).find("materials.toml naming material 7 'wood', not 'clay'") !=
          std::string::npos);
}

TEST_CASE("zone: a client joins a zone with as many materials and kinds as a Welcome may hold") {
    ZoneConfig config = test_zone_config();
    while (config.materials.size() < 256) {
        config.materials.push_back({"material_" + std::to_string(config.materials.size())});
    }
    while (config.kinds.size() < 127) {  // one is built in
        config.kinds.push_back(config.kinds[1]);
        config.kinds.back().name = "kind_" + std::to_string(config.kinds.size());
    }
    VirtualZone zone(config);
    zone.join("ada");
}

/// Body of a child process. 0: finish() told the truth, before and after the disk refused.
int finish_on_a_full_disk(const std::string& folder) {
    signal(SIGXFSZ, SIG_IGN);
    auto store = Store::open(folder, {});
    if (!store) {
        return 10;
    }
    WorkerPool workers(1);
    World world{to_world_config(test_zone_config())};
    const ChunkArchive archive;
    Saver saver(**store, workers, archive, 20);
    world.tick = 1;
    if (!saver.finish(world)) {
        return 11;
    }
    const rlimit limit{1024, 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    world.tick = 2;
    if (saver.finish(world) || saver.finish(world)) {
        return 12;
    }
    return (*store)->stats().durable_tick == 1 ? 0 : 13;
}

int exit_code_of(pid_t child) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST_CASE("saver: finish says whether everything became durable") {
    const ScratchFolder folder;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        _exit(finish_on_a_full_disk(folder.path));
    }
    CHECK(exit_code_of(child) == 0);
}

/// The shipped configuration in `folder`, with 1000 crates.
std::string write_crowded_config(const ScratchFolder& folder) {
    const std::filesystem::path copy = std::filesystem::path(folder.path) / "config";
    std::filesystem::copy(TERRANE_SOURCE_DIR "/config", copy);
    std::ostringstream text;
    text << std::ifstream(copy / "bodies.toml").rdbuf();
    std::string bodies = text.str();
    const std::string crates = "first_count = 24";
    REQUIRE(bodies.find(crates) != std::string::npos);
    std::ofstream(copy / "bodies.toml")
        << bodies.replace(bodies.find(crates), crates.size(), "first_count = 1000");
    return (copy / "zone.toml").string();
}

/// Runs terrane-server for two ticks with files of at most `bytes`; its only save is the last one.
int run_program(const ScratchFolder& folder, rlim_t bytes, const char* address = "127.0.0.1") {
    const ScratchFolder config_folder;
    const std::string config = write_crowded_config(config_folder);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execl(TERRANE_SERVER_PROGRAM, TERRANE_SERVER_PROGRAM, "--config", config.c_str(), "--data",
              folder.path.c_str(), "--port", "0", "--ticks", "2", "--listen", address, "--set",
              "http.port=-1", static_cast<char*>(nullptr));
        _exit(99);
    }
    return exit_code_of(child);
}

TEST_CASE("terrane-server: exits with 1 if the last save fails, with 0 if it is durable") {
    const ScratchFolder full;
    CHECK(run_program(full, 64 * 1024) == 1);
    CHECK(full.sql("SELECT count(*) FROM bodies") == 0);
    const ScratchFolder roomy;
    CHECK(run_program(roomy, 64 * 1024 * 1024) == 0);
    CHECK(roomy.sql("SELECT count(*) FROM bodies") == 1039);
}

TEST_CASE("terrane-server: exits with 2 if listen.address is no address, and makes no data") {
    const ScratchFolder folder;
    CHECK(run_program(folder, 64 * 1024 * 1024, "localhost") == 2);
    CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE(
    "zone: bodies of any kind lie about at the first start, what floats half on the water, boats "
    "on it") {
    ZoneConfig config = test_zone_config();
    config.kinds.push_back(config.kinds[find_kind(config.kinds, "stone")]);
    config.kinds.back().name = "anvil";
    config.kinds.push_back(config.kinds[find_kind(config.kinds, "ball")]);
    config.kinds.back().name = "buoy";
    config.first_counts.insert(config.first_counts.end(), {5, 6});
    config.first_counts[find_kind(config.kinds, "boat")] = 3;
    const auto water = find_water(config);
    REQUIRE(water);
    VirtualZone zone(config);
    std::map<std::string, int> seen;
    std::map<std::string, int> afloat;
    for (const auto& [id, body] : zone.zone->world().bodies) {
        const std::string& name = config.kinds[body.kind].name;
        const Vec3 position = zone.zone->world().physics.state(body.handle).position;
        const float x = position.x - static_cast<float>(water->x);
        const float z = position.z - static_cast<float>(water->z);
        ++seen[name];
        afloat[name] += std::abs(x) < 10.0F && std::abs(z) < 10.0F ? 1 : 0;
    }
    CHECK(seen == std::map<std::string, int>{{"anvil", 5}, {"boat", 3}, {"buoy", 6}});
    CHECK(afloat == std::map<std::string, int>{{"anvil", 0}, {"boat", 3}, {"buoy", 3}});
}

}  // namespace
}  // namespace terrane
