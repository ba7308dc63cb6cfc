#include "client-stub/viewer/window.h"

// Functions come from epoxy, in gl.cpp.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <utility>

namespace terrane {

struct Window::State {
    GLFWwindow* window = nullptr;
    std::vector<Event> events;
    bool has_pointer = false;  ///< a first position to measure movement from
    double pointer_x = 0.0;
    double pointer_y = 0.0;
};

namespace {

Key key_of(int code) {
    switch (code) {
        case GLFW_KEY_W:
            return Key::w;
        case GLFW_KEY_A:
            return Key::a;
        case GLFW_KEY_S:
            return Key::s;
        case GLFW_KEY_D:
            return Key::d;
        case GLFW_KEY_SPACE:
            return Key::space;
        case GLFW_KEY_LEFT_SHIFT:
        case GLFW_KEY_RIGHT_SHIFT:
            return Key::shift;
        case GLFW_KEY_LEFT_CONTROL:
        case GLFW_KEY_RIGHT_CONTROL:
            return Key::control;
        case GLFW_KEY_ESCAPE:
            return Key::escape;
        case GLFW_KEY_E:
            return Key::e;
        case GLFW_KEY_T:
            return Key::t;
        case GLFW_KEY_ENTER:
        case GLFW_KEY_KP_ENTER:
            return Key::enter;
        case GLFW_KEY_BACKSPACE:
            return Key::backspace;
        case GLFW_KEY_F3:
            return Key::f3;
        case GLFW_KEY_F4:
            return Key::f4;
        default:
            break;
    }
    if (code >= GLFW_KEY_1 && code <= GLFW_KEY_9) {
        return static_cast<Key>(static_cast<int>(Key::digit_1) + code - GLFW_KEY_1);
    }
    return Key::other;
}

PointerButton button_of(int code) {
    switch (code) {
        case GLFW_MOUSE_BUTTON_LEFT:
            return PointerButton::left;
        case GLFW_MOUSE_BUTTON_RIGHT:
            return PointerButton::right;
        default:
            return PointerButton::other;
    }
}

std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text == nullptr ? "no reason given" : text;
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(const std::string& title, ImageSize size) {
    if (glfwInit() == GLFW_FALSE) {
        return fail("no window can be opened ({}): use --headless", last_error());
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 24);
    auto state = std::make_unique<State>();
    state->window = glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr);
    if (state->window == nullptr) {
        const std::string reason = last_error();
        glfwTerminate();
        return fail("no window can be opened ({}): use --headless", reason);
    }
    glfwMakeContextCurrent(state->window);
    glfwSwapInterval(1);
    return std::unique_ptr<Window>(new Window(std::move(state)));
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {
    GLFWwindow* window = state_->window;
    glfwSetWindowUserPointer(window, state_.get());
    glfwSetKeyCallback(window, [](GLFWwindow* from, int code, int, int action, int) {
        if (action == GLFW_REPEAT) {
            return;
        }
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        Event event;
        event.kind = action == GLFW_PRESS ? EventKind::key_pressed : EventKind::key_released;
        event.key = key_of(code);
        to->events.push_back(event);
    });
    glfwSetCharCallback(window, [](GLFWwindow* from, unsigned character) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        Event event;
        event.kind = EventKind::text_typed;
        event.character = static_cast<char32_t>(character);
        to->events.push_back(event);
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* from, int code, int action, int) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        Event event;
        event.kind = action == GLFW_PRESS ? EventKind::button_pressed : EventKind::button_released;
        event.button = button_of(code);
        to->events.push_back(event);
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* from, double x, double y) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        if (to->has_pointer) {
            Event event;
            event.kind = EventKind::pointer_moved;
            event.x = static_cast<float>(x - to->pointer_x);
            event.y = static_cast<float>(y - to->pointer_y);
            to->events.push_back(event);
        }
        to->has_pointer = true;
        to->pointer_x = x;
        to->pointer_y = y;
    });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* from, int width, int height) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        Event event;
        event.kind = EventKind::resized;
        event.x = static_cast<float>(width);
        event.y = static_cast<float>(height);
        to->events.push_back(event);
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* from, int is_focused) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        if (is_focused == GLFW_FALSE) {
            Event event;
            event.kind = EventKind::focus_lost;
            to->events.push_back(event);
        }
    });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* from) {
        auto* to = static_cast<State*>(glfwGetWindowUserPointer(from));
        Event event;
        event.kind = EventKind::close_asked;
        to->events.push_back(event);
    });
}

Window::~Window() {
    glfwDestroyWindow(state_->window);
    glfwTerminate();
}

void Window::poll(std::vector<Event>& events) {
    glfwPollEvents();
    events.insert(events.end(), state_->events.begin(), state_->events.end());
    state_->events.clear();
}

void Window::show() {
    glfwSwapBuffers(state_->window);
}

void Window::grab_pointer(bool is_grabbed) {
    state_->has_pointer = false;
    glfwSetInputMode(state_->window, GLFW_CURSOR,
                     is_grabbed ? GLFW_CURSOR_DISABLED : GLFW_CURSOR_NORMAL);
}

void Window::set_title(const std::string& title) {
    glfwSetWindowTitle(state_->window, title.c_str());
}

ImageSize Window::size() const {
    ImageSize size;
    glfwGetFramebufferSize(state_->window, &size.width, &size.height);
    return size;
}

}  // namespace terrane
