// The line of chat that is being typed: Enter or T opens it, Enter sends it, Esc drops it. While it
// is open it consumes what is typed; keys that go up pass, so that nobody walks on for ever.
#pragma once

#include <optional>
#include <string>

#include "client-stub/viewer/events.h"

namespace terrane {

class ChatInput final : public EventReceiver {
  public:
    bool receive(const Event& event) override;

    bool is_open() const { return is_open_; }
    /// UTF-8.
    const std::string& line() const { return line_; }
    /// A line that was finished since the last call; never empty.
    std::optional<std::string> take_finished();

  private:
    void press(Key key);
    void type(char32_t character);

    bool is_open_ = false;
    bool is_skipping_ = false;  ///< the key that opened the line types its letter, too
    std::string line_;
    std::optional<std::string> finished_;
};

}  // namespace terrane
