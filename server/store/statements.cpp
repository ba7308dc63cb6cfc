#include "server/store/statements.h"

#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace terrane {
namespace {

/// Binds key, length, checksum and bytes, runs, resets.
template <typename Key>
Result<void> put_row(Statement& statement, StoreTable table, const Key& key,
                     std::span<const std::uint8_t> bytes) {
    const StatementUse use(statement);
    if constexpr (std::is_same_v<Key, std::string>) {
        use->bind(std::string_view(key));
    } else {
        use->bind(to_sql(key));
    }
    use->bind(static_cast<std::int64_t>(bytes.size()))
        .bind(checksum(table, key, bytes))
        .bind(bytes);
    const Result<bool> done = use->step();
    return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
}

Result<void> keep_chunk_aside(WriteStatements& write, const ChunkCoord& coord, std::uint64_t tick) {
    const StatementUse use(write.keep_chunk_aside);
    use->bind(std::int64_t{coord.x}).bind(std::int64_t{coord.y}).bind(std::int64_t{coord.z});
    use->bind(to_sql(tick)).bind(chunk_key(coord));
    const Result<bool> done = use->step();
    return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
}

}  // namespace

Result<WriteStatements> prepare_writes(Database& database) {
    auto keep_chunk_aside = database.prepare(
        "INSERT INTO damaged_chunks SELECT ?, ?, ?, ?, length, hash, blob FROM chunks "
        "WHERE key = ?");
    auto put_chunk = database.prepare(
        "INSERT OR REPLACE INTO chunks(key, length, hash, blob) VALUES(?, ?, ?, ?)");
    auto add_chunk = database.prepare(
        "INSERT OR IGNORE INTO chunks(key, length, hash, blob) VALUES(?, ?, ?, ?)");
    auto put_props = database.prepare(
        "INSERT OR REPLACE INTO chunk_props(key, length, hash, record) VALUES(?, ?, ?, ?)");
    auto put_player = database.prepare(
        "INSERT OR REPLACE INTO players(name, length, hash, record) VALUES(?, ?, ?, ?)");
    auto put_body = database.prepare(
        "INSERT OR REPLACE INTO bodies(id, length, hash, record) VALUES(?, ?, ?, ?)");
    auto remove_body = database.prepare("DELETE FROM bodies WHERE id = ?");
    auto put_meta = database.prepare(
        "INSERT OR REPLACE INTO meta(id, length, hash, record) VALUES(?, ?, ?, ?)");
    auto begin = database.prepare("BEGIN IMMEDIATE");
    auto commit = database.prepare("COMMIT");
    if (!keep_chunk_aside || !put_chunk || !add_chunk || !put_props || !put_player || !put_body ||
        !remove_body || !put_meta || !begin || !commit) {
        return fail("{}", database.last_error());
    }
    return WriteStatements{std::move(*keep_chunk_aside),
                           std::move(*put_chunk),
                           std::move(*add_chunk),
                           std::move(*put_props),
                           std::move(*put_player),
                           std::move(*put_body),
                           std::move(*remove_body),
                           std::move(*put_meta),
                           std::move(*begin),
                           std::move(*commit)};
}

Result<ReadStatements> prepare_reads(Database& database) {
    auto chunk = database.prepare("SELECT length, hash, blob FROM chunks WHERE key = ?");
    auto props = database.prepare("SELECT length, hash, record FROM chunk_props WHERE key = ?");
    auto player = database.prepare("SELECT length, hash, record FROM players WHERE name = ?");
    auto bodies = database.prepare("SELECT length, hash, record, id FROM bodies");
    if (!chunk || !props || !player || !bodies) {
        return fail("{}", database.last_error());
    }
    return ReadStatements{std::move(*chunk), std::move(*props), std::move(*player),
                          std::move(*bodies)};
}

Result<void> run(Statement& statement) {
    const StatementUse use(statement);
    const Result<bool> done = use->step();
    return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
}

Result<void> put_batch(WriteStatements& write, const StoreBatch& batch,
                       std::set<ChunkCoord>& damaged) {
    for (const StoredChunk& chunk : batch.chunks) {
        if (damaged.erase(chunk.coord) > 0) {
            if (auto kept = keep_chunk_aside(write, chunk.coord, batch.tick); !kept) {
                return kept;
            }
        }
        const std::uint64_t key = from_sql(chunk_key(chunk.coord));
        if (auto put = put_row(write.put_chunk, StoreTable::chunks, key, chunk.blob); !put) {
            return put;
        }
    }
    for (const StoredChunk& chunk : batch.grown_chunks) {
        const std::uint64_t key = from_sql(chunk_key(chunk.coord));
        if (auto put = put_row(write.add_chunk, StoreTable::chunks, key, chunk.blob); !put) {
            return put;
        }
    }
    for (const StoredProps& props : batch.props) {
        const std::uint64_t key = from_sql(chunk_key(props.coord));
        if (auto put = put_row(write.put_props, StoreTable::props, key, encode_props(props));
            !put) {
            return put;
        }
    }
    for (const StoredPlayer& player : batch.players) {
        if (auto put =
                put_row(write.put_player, StoreTable::players, player.name, encode_player(player));
            !put) {
            return put;
        }
    }
    for (const StoredBody& body : batch.bodies) {
        if (auto put = put_row(write.put_body, StoreTable::bodies, body.id, encode_body(body));
            !put) {
            return put;
        }
    }
    for (const std::uint64_t id : batch.removed_bodies) {
        write.remove_body.bind(to_sql(id));
        if (auto removed = run(write.remove_body); !removed) {
            return removed;
        }
    }
    return {};
}

Result<void> put_meta(WriteStatements& write, const StoreMeta& meta) {
    return put_row(write.put_meta, StoreTable::meta, std::uint64_t{1}, encode_meta(meta));
}

}  // namespace terrane
