#include "shared/config/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace terrane {
namespace {

constexpr std::size_t kComparedBytesMax = 128;

/// Optimal string alignment distance: insert, delete, replace, swap of neighbours.
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
    std::string_view best;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const std::string_view candidate : words) {
        const std::size_t errors = typing_errors(word.substr(0, kComparedBytesMax), candidate);
        if (errors < fewest) {
            fewest = errors;
            best = candidate;
        }
    }
    return best;
}

}  // namespace terrane
