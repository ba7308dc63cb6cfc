// For a build without GLFW: every window fails to open, with the reason.
#include "client-stub/viewer/window.h"

namespace terrane {

struct Window::State {};

Result<std::unique_ptr<Window>> Window::open(const std::string& /*title*/, ImageSize /*size*/) {
    return fail(
        "this terrane-viewer was built without GLFW and has no window: use --headless, or install "
        "libglfw3-dev and build again");
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::~Window() = default;
void Window::poll(std::vector<Event>& /*events*/) {}
void Window::show() {}
void Window::grab_pointer(bool /*is_grabbed*/) {}
void Window::set_title(const std::string& /*title*/) {}
ImageSize Window::size() const {
    return {};
}

}  // namespace terrane
