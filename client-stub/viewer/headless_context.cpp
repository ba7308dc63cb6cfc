#include "client-stub/viewer/headless_context.h"

// epoxy's EGL header loads libEGL when first called, so that the program starts without it.
#include <epoxy/egl.h>

#include <array>

namespace terrane {

Result<std::unique_ptr<HeadlessContext>> HeadlessContext::open() {
    if (!epoxy_has_egl()) {
        return fail("libEGL is not installed: apt install libegl1 libgl1-mesa-dri libopengl0");
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        return fail("EGL offers no surfaceless platform: apt install libgl1-mesa-dri");
    }
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) {
        return fail("EGL cannot start (error 0x{:04x})", static_cast<unsigned>(eglGetError()));
    }
    constexpr std::array<EGLint, 7> kAttributes{EGL_CONTEXT_MAJOR_VERSION,
                                                3,
                                                EGL_CONTEXT_MINOR_VERSION,
                                                3,
                                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                EGL_NONE};
    EGLContext context = EGL_NO_CONTEXT;
    if (eglBindAPI(EGL_OPENGL_API) == EGL_TRUE) {
        context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, kAttributes.data());
    }
    if (context == EGL_NO_CONTEXT ||
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE) {
        const auto error = static_cast<unsigned>(eglGetError());
        eglTerminate(display);
        return fail("EGL gives no OpenGL 3.3 core context (error 0x{:04x})", error);
    }
    return std::unique_ptr<HeadlessContext>(new HeadlessContext(display, context));
}

HeadlessContext::~HeadlessContext() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    // The display is the process's and stays: Mesa loses some memory each time its driver is
    // unloaded.
}

}  // namespace terrane
