// Runs the committed corpora, and every truncation of them, through the fuzz targets.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fuzz/fuzz_targets.h"

namespace terrane {
namespace {

using Target = bool (*)(std::span<const std::uint8_t>);

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Files whose names begin with "bad_" must be refused, the others accepted.
void replay(const char* folder, Target target, std::size_t files_min) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TERRANE_CORPUS_DIR) / folder)) {
        CAPTURE(entry.path().filename().string());
        const std::vector<std::uint8_t> bytes = read_file(entry.path());
        REQUIRE(!bytes.empty());
        ++files;
        CHECK(target(bytes) == !entry.path().filename().string().starts_with("bad_"));
        for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 512) {
            // A vector of its own size: a read past the end is a sanitizer's finding.
            const std::vector<std::uint8_t> part(bytes.begin(),
                                                 bytes.begin() + static_cast<std::ptrdiff_t>(size));
            target(part);
        }
    }
    CHECK(files >= files_min);
}

TEST_CASE("T76 fuzz corpus: to_server") {
    replay("to_server", fuzz_to_server, 5);
}
TEST_CASE("T76 fuzz corpus: to_client") {
    replay("to_client", fuzz_to_client, 8);
}
TEST_CASE("T76 fuzz corpus: frame_reader") {
    replay("frame_reader", fuzz_frame_reader, 3);
}
TEST_CASE("T76 fuzz corpus: chunk_blob") {
    replay("chunk_blob", fuzz_chunk_blob, 3);
}
TEST_CASE("T76 fuzz corpus: piece") {
    replay("piece", fuzz_piece, 4);
}

}  // namespace
}  // namespace terrane
