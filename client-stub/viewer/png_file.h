// Pictures to and from PNG files.
#pragma once

#include <string>

#include "client-stub/viewer/gl.h"
#include "shared/core/result.h"

namespace terrane {

/// "cannot write view.png: No such file or directory"
Result<void> write_png(const Image& image, const std::string& path);

}  // namespace terrane
