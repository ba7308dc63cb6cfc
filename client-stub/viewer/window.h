// A window with an OpenGL 3.3 core context, and the one place where the operating system's events
// become ours. By GLFW; a build without it has window_absent.cpp instead, whose open() says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client-stub/viewer/events.h"
#include "client-stub/viewer/gl.h"
#include "shared/core/result.h"

namespace terrane {

/// One at a time, on the main thread; its context is current there until it is destroyed.
class Window {
  public:
    static Result<std::unique_ptr<Window>> open(const std::string& title, ImageSize size);

    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    /// Appends what happened since the last call.
    void poll(std::vector<Event>& events);
    /// Shows what was drawn; waits for the screen.
    void show();
    /// Hides the pointer and gives its movement alone, or sets it free.
    void grab_pointer(bool is_grabbed);
    void set_title(const std::string& title);
    ImageSize size() const;

  private:
    struct State;
    explicit Window(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace terrane
