#include "server/store/database.h"

#include "shared/core/assert.h"

namespace terrane {

Statement::Statement(sqlite3* connection, std::string_view sql, int& code) {
    sqlite3_stmt* statement = nullptr;
    code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    statement_.reset(statement);
}

Statement& Statement::bind(std::int64_t value) {
    const int code = sqlite3_bind_int64(statement_.get(), ++bound_, value);
    TERRANE_ASSERT(code == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(std::string_view text) {
    const int code = sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                         SQLITE_STATIC, SQLITE_UTF8);
    TERRANE_ASSERT(code == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(std::span<const std::uint8_t> blob) {
    // A null pointer would bind NULL; an empty blob is not NULL.
    static const std::uint8_t none = 0;
    const void* bytes = blob.empty() ? &none : blob.data();
    const int code =
        sqlite3_bind_blob64(statement_.get(), ++bound_, bytes, blob.size(), SQLITE_STATIC);
    TERRANE_ASSERT(code == SQLITE_OK);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        return code == SQLITE_ROW;
    }
    return fail("{} (SQLite {})", sqlite3_errmsg(sqlite3_db_handle(statement_.get())),
                sqlite3_extended_errcode(sqlite3_db_handle(statement_.get())));
}

void Statement::reset() {
    sqlite3_reset(statement_.get());  // repeats the code of the failed step: reported there
    sqlite3_clear_bindings(statement_.get());
    bound_ = 0;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
    const unsigned char* text = sqlite3_column_text(statement_.get(), column);
    const int length = sqlite3_column_bytes(statement_.get(), column);
    return text == nullptr
               ? std::string()
               : std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
}

std::span<const std::uint8_t> Statement::blob(int column) const {
    const void* bytes = sqlite3_column_blob(statement_.get(), column);
    const int length = sqlite3_column_bytes(statement_.get(), column);
    return {static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(length)};
}

Result<Database> Database::open(const std::string& file, Mode mode) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    switch (mode) {
        case Mode::create:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
            break;
        case Mode::write:
            flags |= SQLITE_OPEN_READWRITE;
            break;
        case Mode::read:
            flags |= SQLITE_OPEN_READONLY;
            break;
    }
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
    Database database;
    database.connection_.reset(connection);
    if (code != SQLITE_OK) {
        return fail("{}", connection != nullptr ? sqlite3_errmsg(connection) : "out of memory");
    }
    // The reader may find the writer switching the WAL over; the writer never waits.
    sqlite3_busy_timeout(connection, mode == Mode::read ? 5000 : 0);
    if (mode == Mode::read) {
        sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        sqlite3_wal_autocheckpoint(connection, 0);
    }
    return database;
}

Result<void> Database::execute(const std::string& sql) {
    if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        return fail("{}", last_error());
    }
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    int code = SQLITE_OK;
    Statement statement(connection_.get(), sql, code);
    if (code != SQLITE_OK) {
        return fail("{}", last_error());
    }
    return statement;
}

Result<std::int64_t> Database::query_integer(std::string_view sql) {
    Result<Statement> statement = prepare(sql);
    if (!statement) {
        return std::unexpected(statement.error());
    }
    const Result<bool> row = statement->step();
    if (!row) {
        return std::unexpected(row.error());
    }
    return *row ? statement->integer(0) : 0;
}

Result<std::string> Database::query_text(std::string_view sql) {
    Result<Statement> statement = prepare(sql);
    if (!statement) {
        return std::unexpected(statement.error());
    }
    const Result<bool> row = statement->step();
    if (!row) {
        return std::unexpected(row.error());
    }
    return *row ? statement->text(0) : std::string();
}

void Database::leave_files_alone() {
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

std::string Database::last_error() const {
    return fmt::format("{} (SQLite {})", sqlite3_errmsg(connection_.get()),
                       sqlite3_extended_errcode(connection_.get()));
}

}  // namespace terrane
