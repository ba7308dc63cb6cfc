#include "server/session/session_table.h"

#include <doctest/doctest.h>

#include "shared/core/random.h"

namespace terrane {
namespace {

TEST_CASE("session_table: found by id, connection, player and name until erased") {
    SessionTable table;
    const SessionConfig config;
    Session& session = table.open(77, 5, config);
    session.name = "Ada";
    CHECK(table.find(session.id) == &session);
    CHECK(table.find_connection(77) == &session);
    CHECK(table.find_player(9) == nullptr);
    CHECK(table.find_name("Ada") == nullptr);  // nobody in hello_wait has a name yet
    session.state = SessionState::joining;
    CHECK(table.find_name("Ada") == &session);
    table.set_player(session, 9);
    CHECK(table.find_player(9) == &session);
    session.state = SessionState::leaving;
    CHECK(table.find_name("Ada") == nullptr);
    const SessionId id = session.id;
    table.erase(id);
    CHECK(table.find(id) == nullptr);
    CHECK(table.find_connection(77) == nullptr);
    CHECK(table.find_player(9) == nullptr);
    CHECK(table.size() == 0);
    table.erase(id);
    CHECK(table.open(78, 6, config).id != id);
}

TEST_CASE("session_table: lists in id order rotated by the tick, everyone first equally often") {
    SessionTable table;
    const SessionConfig config;
    for (ConnectionId c = 1; c <= 5; ++c) {
        table.open(c, 0, config).state = SessionState::playing;
    }
    table.find_connection(3)->state = SessionState::joining;
    std::vector<Session*> listed;
    std::vector<int> first(6);
    for (std::uint32_t tick = 0; tick < 40; ++tick) {
        table.list(SessionState::playing, tick, listed);
        REQUIRE(listed.size() == 4);
        ++first[listed[0]->id];
        for (std::size_t i = 1; i < 4; ++i) {
            const bool is_wrap = listed[i]->id == 1;
            CHECK((is_wrap || listed[i]->id > listed[i - 1]->id));
        }
    }
    CHECK(first == std::vector<int>{0, 10, 10, 0, 10, 10});
    CHECK(table.count(SessionState::playing) == 4);
    table.list_all(listed);
    CHECK(listed.size() == 5);
    table.list(SessionState::leaving, 3, listed);
    CHECK(listed.empty());
}

}  // namespace
}  // namespace terrane
