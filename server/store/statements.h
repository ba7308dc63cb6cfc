// Every SQL statement of a running store, prepared once, and how a batch becomes rows with them.
// Inside the store's room. begin .. put_batch .. put_meta .. commit is one transaction.
#pragma once

#include <cstdint>
#include <set>

#include "server/store/database.h"
#include "server/store/row_codec.h"
#include "server/store/store.h"
#include "shared/core/result.h"

namespace terrane {

/// SQL's integers are signed; keys and ticks keep their bits.
constexpr std::int64_t to_sql(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
constexpr std::uint64_t from_sql(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

struct WriteStatements {
    Statement keep_chunk_aside;
    Statement put_chunk;
    Statement add_chunk;
    Statement put_props;
    Statement put_player;
    Statement put_body;
    Statement remove_body;
    Statement put_meta;
    Statement begin;
    Statement commit;
};

/// Columns: length, hash, bytes.
struct ReadStatements {
    Statement chunk;
    Statement props;
    Statement player;
    Statement bodies;
};

Result<WriteStatements> prepare_writes(Database& database);
Result<ReadStatements> prepare_reads(Database& database);

/// Runs a statement that has no parameters, or has them bound.
Result<void> run(Statement& statement);
/// `damaged`: chunks whose rows are kept aside before they are replaced; those that are leave it.
Result<void> put_batch(WriteStatements& write, const StoreBatch& batch,
                       std::set<ChunkCoord>& damaged);
Result<void> put_meta(WriteStatements& write, const StoreMeta& meta);

}  // namespace terrane
