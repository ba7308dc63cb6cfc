#include "client-stub/viewer/events.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace terrane;

namespace {

/// Writes down what it gets; consumes one key.
class Listener final : public EventReceiver {
  public:
    Listener(std::string name, Key consumed, std::string& log)
        : name_(std::move(name)), consumed_(consumed), log_(log) {}
    bool receive(const Event& event) override {
        log_ += name_ + std::to_string(static_cast<int>(event.key)) + " ";
        return event.key == consumed_;
    }

  private:
    std::string name_;
    Key consumed_;
    std::string& log_;
};

Event pressed(Key key) {
    Event event;
    event.key = key;
    return event;
}

}  // namespace

TEST_CASE("C2 events: each goes to the receivers in turn until one consumes it") {
    std::string log;
    Listener camera("camera", Key::w, log);
    Listener hud("hud", Key::f3, log);
    Listener application("application", Key::escape, log);
    const std::array<EventReceiver*, 3> receivers{&camera, &hud, &application};
    const std::array<Event, 4> events{pressed(Key::w), pressed(Key::f3), pressed(Key::escape),
                                      pressed(Key::other)};
    dispatch(events, receivers);
    CHECK(log == "camera1 camera9 hud9 camera8 hud8 application8 camera0 hud0 application0 ");
}

TEST_CASE("C2 events: without receivers or events nothing happens") {
    const std::array<Event, 1> events{pressed(Key::w)};
    dispatch(events, {});
    std::string log;
    Listener listener("x", Key::other, log);
    const std::array<EventReceiver*, 1> receivers{&listener};
    dispatch({}, receivers);
    CHECK(log.empty());
}
