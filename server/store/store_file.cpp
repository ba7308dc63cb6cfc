#include "server/store/store_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

namespace terrane {
namespace {

namespace fs = std::filesystem;

/// A whole walk over the file's pages at start, up to this size: 1 s on a slow disk.
constexpr std::uintmax_t kCheckedBytesMax = 256U << 20;

constexpr const char* kPropsSchema = R"(
    CREATE TABLE chunk_props(key INTEGER PRIMARY KEY, length INTEGER NOT NULL,
                             hash INTEGER NOT NULL, record BLOB NOT NULL) STRICT;
    PRAGMA user_version = 3;
)";
static_assert(kStoreSchemaVersion == 3);

/// Of version 2: kPropsSchema makes it version 3.
constexpr const char* kSchema = R"(
    PRAGMA application_id = 1414681166;
    PRAGMA user_version = 2;
    CREATE TABLE meta(id INTEGER PRIMARY KEY, length INTEGER NOT NULL, hash INTEGER NOT NULL,
                      record BLOB NOT NULL) STRICT;
    CREATE TABLE chunks(key INTEGER PRIMARY KEY, length INTEGER NOT NULL, hash INTEGER NOT NULL,
                        blob BLOB NOT NULL) STRICT;
    CREATE TABLE players(name TEXT PRIMARY KEY, length INTEGER NOT NULL, hash INTEGER NOT NULL,
                         record BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE bodies(id INTEGER PRIMARY KEY, length INTEGER NOT NULL, hash INTEGER NOT NULL,
                        record BLOB NOT NULL) STRICT;
    CREATE TABLE damaged_chunks(x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL,
                                tick INTEGER NOT NULL, length INTEGER NOT NULL,
                                hash INTEGER NOT NULL, blob BLOB NOT NULL) STRICT;
)";
static_assert(kStoreApplicationId == 1414681166);

/// Makes a rename or a new file in `folder` survive a power cut.
Result<void> sync_folder(const std::string& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = descriptor >= 0 && fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return is_synced ? Result<void>()
                     : Result<void>(fail("{}: cannot be synced: {}", folder, strerror(error)));
}

Result<void> write_meta(Database& database, const StoreMeta& meta) {
    Result<Statement> statement = database.prepare(
        "INSERT OR REPLACE INTO meta(id, length, hash, record) VALUES(1, ?, ?, ?)");
    if (!statement) {
        return std::unexpected(statement.error());
    }
    const std::vector<std::uint8_t> record = encode_meta(meta);
    statement->bind(static_cast<std::int64_t>(record.size()))
        .bind(checksum(StoreTable::meta, 1, record))
        .bind(record);
    const Result<bool> written = statement->step();
    return written ? Result<void>() : Result<void>(std::unexpected(written.error()));
}

Result<void> create_file(const std::string& folder, const std::string& file,
                         const StoreVersions& versions) {
    const std::string aside = file + ".new";
    std::error_code ignored;
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(aside + suffix, ignored);  // left by a start that was killed here
    }
    {
        Result<Database> database = Database::open(aside, Database::Mode::create);
        if (!database) {
            return fail("{}: cannot be made: {}", aside, database.error().message);
        }
        StoreMeta meta;
        meta.versions = versions;
        Result<void> made = database->execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE;");
        made = made ? database->execute(kSchema) : made;
        made = made ? database->execute(kPropsSchema) : made;
        made = made ? write_meta(*database, meta) : made;
        made = made ? database->execute("COMMIT;") : made;
        if (!made) {
            return fail("{}: cannot be made: {}", aside, made.error().message);
        }
    }
    std::error_code error;
    fs::rename(aside, file, error);
    if (error) {
        return fail("{}: cannot be made: {}", file, error.message());
    }
    return sync_folder(folder);
}

/// Cheap checks before SQLite sees the file: it would take an empty one for a new world.
Result<void> check_header(const std::string& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        return fail("{}: is not a file; move it away or choose another --data", file);
    }
    std::array<char, 16> head{};
    std::ifstream stream(file, std::ios::binary);
    stream.read(head.data(), head.size());
    if (stream.gcount() == 0) {
        return fail("{}: is empty: damaged; restore a backup, or move it away to start anew", file);
    }
    if (std::memcmp(head.data(), "SQLite format 3", head.size()) != 0) {
        return fail("{}: is not a zone's database; restore a backup, or move it away to start anew",
                    file);
    }
    return {};
}

Result<void> damaged(const std::string& file, const std::string& what) {
    return fail("{}: is damaged: {}; restore a backup, or move it away to start anew", file, what);
}

Result<void> check_identity(Database& database, const std::string& file) {
    const Result<std::int64_t> id = database.query_integer("PRAGMA application_id");
    if (!id) {
        return damaged(file, id.error().message);
    }
    if (*id != kStoreApplicationId) {
        return fail("{}: is a database of another program; choose another --data", file);
    }
    const Result<std::int64_t> version = database.query_integer("PRAGMA user_version");
    if (!version) {
        return damaged(file, version.error().message);
    }
    if (*version < kStoreSchemaOldest || *version > kStoreSchemaVersion) {
        return fail(
            "{}: has schema version {}, this program knows {} to {}: use the program that wrote it",
            file, *version, kStoreSchemaOldest, kStoreSchemaVersion);
    }
    return {};
}

/// A file of an older schema, all checked: gets what it lacks, or stays as it is.
Result<void> update_schema(Database& database) {
    const Result<std::int64_t> version = database.query_integer("PRAGMA user_version");
    if (!version) {
        return std::unexpected(version.error());
    }
    if (*version == kStoreSchemaVersion) {
        return {};
    }
    Result<void> updated = database.execute("BEGIN IMMEDIATE");
    updated = updated ? database.execute(kPropsSchema) : updated;
    return updated ? database.execute("COMMIT") : updated;
}

Result<void> check_pages(Database& database, const std::string& file) {
    std::error_code error;
    if (fs::file_size(file, error) > kCheckedBytesMax || error) {
        return {};
    }
    const Result<std::string> checked = database.query_text("PRAGMA quick_check(1)");
    if (!checked) {
        return damaged(file, checked.error().message);
    }
    return *checked == "ok" ? Result<void>()
                            : damaged(file, checked->substr(0, checked->find('\n')));
}

Result<StoreMeta> read_meta(Database& database, const std::string& file) {
    Result<Statement> statement =
        database.prepare("SELECT length, hash, record FROM meta WHERE id = 1");
    const Result<bool> row = statement ? statement->step() : std::unexpected(statement.error());
    if (!row) {
        return std::unexpected(damaged(file, row.error().message).error());
    }
    if (*row) {
        const std::span<const std::uint8_t> record = statement->blob(2);
        const bool is_whole = statement->integer(0) == static_cast<std::int64_t>(record.size()) &&
                              statement->integer(1) == checksum(StoreTable::meta, 1, record);
        if (const auto meta = decode_meta(record); meta && is_whole) {
            return *meta;
        }
    }
    return std::unexpected(damaged(file, "its row of versions fails its checksum").error());
}

const std::string* find_setting(const std::vector<StoreSetting>& settings, const std::string& key) {
    const auto found = std::ranges::find(settings, key, &StoreSetting::key);
    return found == settings.end() ? nullptr : &found->value;
}

Result<void> check_settings(const StoreVersions& stored, const StoreVersions& ours,
                            const std::string& file) {
    for (const StoreSetting& setting : stored.settings) {
        const std::string* value = find_setting(ours.settings, setting.key);
        if (value == nullptr) {
            return fail(
                "{}: was made with {} = {}, which this program does not have: use the program "
                "that made it, or choose another --data",
                file, setting.key, setting.value);
        }
        if (*value != setting.value) {
            return fail("{}: was made with {} = {}, not {}: set {} back, or choose another --data",
                        file, setting.key, setting.value, *value, setting.key);
        }
    }
    for (const StoreSetting& setting : ours.settings) {
        if (find_setting(stored.settings, setting.key) == nullptr) {
            return fail(
                "{}: was made without {}: use the program that made it, or choose another "
                "--data",
                file, setting.key);
        }
    }
    return {};
}

Result<void> check_materials(const std::vector<std::string>& stored,
                             const std::vector<std::string>& ours, const std::string& file) {
    for (std::size_t id = 0; id < stored.size(); ++id) {
        const bool is_there = id < ours.size();
        if (!is_there || ours[id] != stored[id]) {
            return fail(
                "{}: was made with materials.toml naming material {} '{}', not {}: put the names "
                "back in their order and append new ones, or choose another --data",
                file, id, stored[id], is_there ? "'" + ours[id] + "'" : "nothing");
        }
    }
    return {};
}

Result<void> check_versions(const StoreVersions& stored, const StoreVersions& ours,
                            const std::string& file) {
    if (stored.seed != ours.seed) {
        return fail(
            "{}: was made with zone.seed = {}, not {}: set zone.seed back, or choose "
            "another --data",
            file, stored.seed, ours.seed);
    }
    if (stored.generator != ours.generator) {
        return fail(
            "{}: its terrain is of generator version {}, this program has {}: use the "
            "program that made it, or choose another --data",
            file, stored.generator, ours.generator);
    }
    if (stored.brush != ours.brush) {
        return fail(
            "{}: its edits are of brush version {}, this program has {}: use the program "
            "that made it, or choose another --data",
            file, stored.brush, ours.brush);
    }
    if (auto checked = check_settings(stored, ours, file); !checked) {
        return checked;
    }
    return check_materials(stored.materials, ours.materials, file);
}

Result<void> make_if_missing(const std::string& folder, const std::string& file,
                             const StoreVersions& versions) {
    std::error_code error;
    if (fs::exists(file, error)) {
        return {};
    }
    if (fs::exists(file + "-wal", error) && fs::file_size(file + "-wal", error) > 0) {
        return fail(
            "{}: is missing, but {}-wal is there: put it back, or move that away to start "
            "anew",
            file, file);
    }
    return create_file(folder, file, versions);
}

}  // namespace

Result<StoreFile> open_store_file(const std::string& folder, const StoreVersions& versions) {
    const std::string file = folder + "/zone.db";
    Result<void> checked = make_if_missing(folder, file, versions);
    checked = checked ? check_header(file) : checked;
    if (!checked) {
        return std::unexpected(checked.error());
    }
    Result<Database> writer = Database::open(file, Database::Mode::write);
    if (!writer) {
        return fail("{}: cannot be opened: {}", file, writer.error().message);
    }
    // Nothing is written before every check has passed.
    checked = check_identity(*writer, file);
    checked = checked ? check_pages(*writer, file) : checked;
    if (!checked) {
        writer->leave_files_alone();
        return std::unexpected(checked.error());
    }
    Result<StoreMeta> meta = read_meta(*writer, file);
    if (!meta) {
        writer->leave_files_alone();
        return std::unexpected(meta.error());
    }
    if (checked = check_versions(meta->versions, versions, file); !checked) {
        return std::unexpected(checked.error());
    }
    meta->versions = versions;  // with the materials that were appended
    ++meta->start_count;
    Result<void> started =
        writer->execute("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;");
    const Result<std::string> mode = writer->query_text("PRAGMA journal_mode = WAL");
    if (!mode || *mode != "wal") {
        return fail("{}: cannot use a write-ahead log: {}", file,
                    mode ? *mode : mode.error().message);
    }
    started = started ? update_schema(*writer) : started;
    started = started ? write_meta(*writer, *meta) : started;
    if (!started) {
        return fail("{}: cannot be written: {}", file, started.error().message);
    }
    return StoreFile{std::move(*writer), *meta};
}

}  // namespace terrane
