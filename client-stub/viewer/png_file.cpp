#include "client-stub/viewer/png_file.h"

#include <lodepng.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace terrane {

Result<void> write_png(const Image& image, const std::string& path) {
    std::vector<unsigned char> bytes;
    const unsigned error =
        lodepng::encode(bytes, image.rgb, static_cast<unsigned>(image.size.width),
                        static_cast<unsigned>(image.size.height), LCT_RGB);
    if (error != 0) {
        return fail("cannot encode {}: {}", path, lodepng_error_text(error));
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
        return fail("cannot write {}: {}", path, std::strerror(errno));
    }
    return {};
}

}  // namespace terrane
