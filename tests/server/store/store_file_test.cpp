#include "server/store/store_file.h"

#include <chrono>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/server/store/scratch_folder.h"

namespace terrane {
namespace {

/// A store with 40 chunks, closed.
void fill(const ScratchFolder& folder) {
    const auto store = open_store(folder);
    StoreBatch batch;
    batch.tick = 5;
    for (std::int32_t i = 0; i < 40; ++i) {
        batch.chunks.push_back({{i, 0, -i}, make_blob(static_cast<std::uint64_t>(i))});
    }
    batch.players = {make_player("ada", 1)};
    batch.bodies = {make_body(1, 1), make_body(2, 2)};
    REQUIRE(store->submit(batch));
    store->drain();
    REQUIRE(!store->stats().has_failed);
}

void write_bytes(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_CASE("store_file: a second opening of the folder is refused at once, the first unharmed") {
    const ScratchFolder folder;
    const auto first = open_store(folder);
    const std::string line = refusal(folder);
    CHECK(line == folder.path + "/zone.lock: process " + std::to_string(getpid()) +
                      " hosts a zone with this data folder; stop it or choose another --data");
    StoreBatch batch;
    batch.tick = 1;
    CHECK(first->submit(batch));
    first->drain();
    CHECK(first->stats().durable_tick == 1);
}

TEST_CASE("store_file: another process is refused too, and its death frees the folder") {
    const ScratchFolder folder;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto store = Store::open(folder.path, {});
        const char answer = store ? 'y' : 'n';
        static_cast<void>(!write(ready[1], &answer, 1));
        pause();
        _exit(0);
    }
    char answer = 0;
    REQUIRE(read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK(refusal(folder).find("process " + std::to_string(child)) != std::string::npos);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    CHECK(refusal(folder) == "");
}

TEST_CASE("store_file: other versions are refused with what to do") {
    const ScratchFolder folder;
    fill(folder);
    StoreVersions versions;
    versions.seed = 99;
    CHECK(refusal(folder, versions) ==
          folder.file() +
              ": was made with zone.seed = 1, not 99: set zone.seed back, or choose "
              "another --data");
    versions = {};
    versions.generator = 2;
    CHECK(refusal(folder, versions).find("terrain is of generator version 1, this program has 2") !=
          std::string::npos);
    versions = {};
    versions.brush = 7;
    CHECK(refusal(folder, versions).find("edits are of brush version 1, this program has 7") !=
          std::string::npos);
    CHECK(refusal(folder) == "");
}

TEST_CASE("store_file: other settings of the terrain are refused by the key's name") {
    const ScratchFolder folder;
    StoreVersions made;
    made.settings = {{"zone.size_x_chunks", "32"}, {"zone.sea_level_m", "-3"}};
    CHECK(refusal(folder, made) == "");
    StoreVersions other = made;
    other.settings[1].value = "4";
    CHECK(refusal(folder, other) ==
          folder.file() +
              ": was made with zone.sea_level_m = -3, not 4: set zone.sea_level_m back, or "
              "choose another --data");
    other = made;
    other.settings.pop_back();
    CHECK(refusal(folder, other).find("zone.sea_level_m = -3, which this program does not have") !=
          std::string::npos);
    other = made;
    other.settings.push_back({"zone.trees", "1"});
    CHECK(
        refusal(folder, other).find("was made without zone.trees: use the program that made it") !=
        std::string::npos);
    other = made;
    std::swap(other.settings[0], other.settings[1]);  // the order says nothing
    CHECK(refusal(folder, other) == "");
    CHECK(open_store(folder, made)->start_count() == 3);
}

TEST_CASE("store_file: materials may be appended; other names, orders and losses are refused") {
    const ScratchFolder folder;
    StoreVersions versions;
    versions.materials = {"air", "water", "rock"};
    CHECK(refusal(folder, versions) == "");
    versions.materials.push_back("clay");
    CHECK(refusal(folder, versions) == "");
    versions.materials.pop_back();  // by now there may be chunks with clay
    CHECK(refusal(folder, versions) ==
          folder.file() +
              ": was made with materials.toml naming material 3 'clay', not nothing: put the "
              "names back in their order and append new ones, or choose another --data");
    versions.materials = {"air", "water", "clay", "rock"};
    CHECK(refusal(folder, versions).find("naming material 2 'rock', not 'clay': put the names") !=
          std::string::npos);
}

TEST_CASE("store_file: a newer schema or another program's database is refused") {
    const ScratchFolder folder;
    fill(folder);
    folder.sql("PRAGMA user_version = 4");
    CHECK(refusal(folder).find("has schema version 4, this program knows 2 to 3") !=
          std::string::npos);
    folder.sql("PRAGMA user_version = 2; PRAGMA application_id = 5");
    CHECK(refusal(folder).find("is a database of another program") != std::string::npos);
}

TEST_CASE(
    "store_file: a file of schema version 2 gets the table of props, once, and keeps all else") {
    const ScratchFolder folder;
    fill(folder);
    folder.sql("DROP TABLE chunk_props; PRAGMA user_version = 2");
    StoreVersions other;
    other.seed = 99;
    CHECK(refusal(folder, other).find("zone.seed") != std::string::npos);
    CHECK(folder.sql("PRAGMA user_version") == 2);  // refused: nothing was written
    {
        const auto store = open_store(folder);
        CHECK(loaded(*store, {7, 0, -7}) == make_blob(7));
        CHECK(store->load_bodies().size() == 2);
        CHECK(store->load_removed_props({7, 0, -7}) == 0);
        StoreBatch batch;
        batch.tick = 6;
        batch.props = {{{7, 0, -7}, 5}};
        REQUIRE(store->submit(batch));
    }
    CHECK(folder.sql("PRAGMA user_version") == 3);
    CHECK(open_store(folder)->load_removed_props({7, 0, -7}) == 5);
}

TEST_CASE("store_file: garbage, an empty file and a folder are refused and never overwritten") {
    for (const std::string& bytes : {std::string(), std::string("hello"), std::string(9000, 'x'),
                                     std::string("SQLite format 3")}) {
        CAPTURE(bytes.size());
        const ScratchFolder folder;
        write_bytes(folder.file(), bytes);
        const std::string line = refusal(folder);
        CHECK(line.starts_with(folder.file() + ": is "));
        CHECK(line.find("move it away") != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(read_bytes(folder.file()) == bytes);
    }
    const ScratchFolder folder;
    std::filesystem::create_directory(folder.file());
    CHECK(refusal(folder).find("is not a file") != std::string::npos);
}

TEST_CASE("store_file: a file cut at any page is refused and left as it is") {
    const ScratchFolder folder;
    fill(folder);
    const std::string whole = read_bytes(folder.file());
    REQUIRE(whole.size() > 20 * 4096);
    for (std::size_t size = 512; size < whole.size(); size += size < 8192 ? 512 : 4096) {
        CAPTURE(size);
        write_bytes(folder.file(), whole.substr(0, size));
        const std::string line = refusal(folder);
        CHECK(line.starts_with(folder.file() + ": is "));
        CHECK(line.find("damaged") != std::string::npos);
        CHECK(read_bytes(folder.file()).size() == size);
    }
    write_bytes(folder.file(), whole);
    CHECK(refusal(folder) == "");
}

TEST_CASE("store_file: a log without its database is refused, a foreign log is harmless") {
    const ScratchFolder folder;
    write_bytes(folder.file() + "-wal", std::string(5000, 'w'));
    CHECK(refusal(folder).find("is missing, but") != std::string::npos);
    std::filesystem::remove(folder.file() + "-wal");
    fill(folder);
    for (const std::string& log : {std::string(), std::string(5000, 'w'), std::string("x")}) {
        write_bytes(folder.file() + "-wal", log);
        const auto store = open_store(folder);
        CHECK(store->last_tick() == 5);
        CHECK(loaded(*store, {7, 0, -7}) == make_blob(7));
    }
}

TEST_CASE("store_file: a path that is a file, or lies under one, is refused") {
    const ScratchFolder folder;
    write_bytes(folder.path + "/plain", "x");
    for (const char* name : {"/plain", "/plain/deeper"}) {
        const auto store = Store::open(folder.path + name, {});
        REQUIRE(!store);
        CHECK(store.error().message.find("cannot be made a folder") != std::string::npos);
    }
    std::filesystem::create_directory(folder.path + "/zone.lock");
    CHECK(refusal(folder).find("zone.lock: cannot be opened: Is a directory") != std::string::npos);
}

TEST_CASE("store_file: a start that was killed while making the file does no harm") {
    const ScratchFolder folder;
    write_bytes(folder.file() + ".new", std::string(3000, 'n'));
    write_bytes(folder.file() + ".new-journal", "j");
    fill(folder);
    CHECK(!std::filesystem::exists(folder.file() + ".new"));
    CHECK(open_store(folder)->last_tick() == 5);
}

TEST_CASE("store_file: a damaged row of versions is refused") {
    const ScratchFolder folder;
    fill(folder);
    folder.sql("UPDATE meta SET record = zeroblob(48)");
    CHECK(refusal(folder).find("its row of versions fails its checksum") != std::string::npos);
    folder.sql("DELETE FROM meta");
    CHECK(refusal(folder).find("its row of versions fails its checksum") != std::string::npos);
}

}  // namespace
}  // namespace terrane
