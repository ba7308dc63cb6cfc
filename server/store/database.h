// SQLite behind two small owners: a connection and a prepared statement. Inside the store's room
// only. Every call that can fail on a bad disk returns Result with SQLite's own words; the caller
// adds the file and what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "shared/core/result.h"

namespace terrane {

class Statement {
  public:
    Statement(sqlite3* connection, std::string_view sql, int& code);

    Statement& bind(std::int64_t value);
    Statement& bind(std::string_view text);
    Statement& bind(std::span<const std::uint8_t> blob);
    /// True: a row is there to read. False: done. Bound blobs and texts must live until reset.
    Result<bool> step();
    /// Ready for the next use, with nothing bound.
    void reset();

    std::int64_t integer(int column) const;
    std::string text(int column) const;
    std::span<const std::uint8_t> blob(int column) const;  ///< valid until reset or step

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int bound_ = 0;
};

/// Resets a statement when a reader is done with it, so that no read transaction stays open: one
/// that does lets the WAL grow for as long as it lives.
class StatementUse {
  public:
    explicit StatementUse(Statement& statement) : statement_(&statement) {}
    ~StatementUse() { statement_->reset(); }
    StatementUse(const StatementUse&) = delete;
    StatementUse& operator=(const StatementUse&) = delete;
    Statement* operator->() const { return statement_; }

  private:
    Statement* statement_;
};

class Database {
  public:
    enum class Mode : std::uint8_t { create, write, read };

    static Result<Database> open(const std::string& file, Mode mode);

    Result<void> execute(const std::string& sql);
    Result<Statement> prepare(std::string_view sql);
    /// The one number that `sql` yields.
    Result<std::int64_t> query_integer(std::string_view sql);
    Result<std::string> query_text(std::string_view sql);
    /// After a failed write: closing must not touch the files again.
    void leave_files_alone();
    std::string last_error() const;

  private:
    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close(connection); }
    };
    std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace terrane
