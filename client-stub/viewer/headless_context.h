// An OpenGL context without a screen: EGL on Mesa's surfaceless platform. It needs neither X nor a
// graphics card nor /dev/dri; drawing goes to framebuffers of our own (gl.h).
#pragma once

#include <memory>

#include "shared/core/result.h"

namespace terrane {

/// Current on the thread that opened it until it is destroyed; one at a time.
class HeadlessContext {
  public:
    static Result<std::unique_ptr<HeadlessContext>> open();

    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;
    ~HeadlessContext();

  private:
    HeadlessContext(void* display, void* context) : display_(display), context_(context) {}

    void* display_;  // EGLDisplay
    void* context_;  // EGLContext
};

}  // namespace terrane
