// One bit a position, scanned a word at a time in either direction: how the scene graph finds its
// few dirty nodes among many clean ones (100,000 clean nodes are 1,563 words, about a microsecond).
// Bits may be set while a scan runs, ahead of it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace terrane {

class BitSet {
  public:
    static constexpr std::size_t kNone = ~std::size_t{0};

    /// New bits are 0.
    void resize(std::size_t bit_count) { words_.resize((bit_count + 63) / 64, 0); }
    void set(std::size_t i) {
        std::uint64_t& word = words_[i / 64];
        const std::uint64_t bit = 1ULL << (i % 64);
        count_ += (word & bit) == 0 ? 1U : 0U;
        word |= bit;
    }
    void clear(std::size_t i) {
        std::uint64_t& word = words_[i / 64];
        const std::uint64_t bit = 1ULL << (i % 64);
        count_ -= (word & bit) != 0 ? 1U : 0U;
        word &= ~bit;
    }
    bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
    std::size_t count() const { return count_; }

    /// Lowest set bit at `from` or above; kNone if there is none.
    std::size_t first_from(std::size_t from) const {
        std::size_t w = from / 64;
        if (count_ == 0 || w >= words_.size()) {
            return kNone;
        }
        std::uint64_t word = words_[w] & (~0ULL << (from % 64));
        while (word == 0) {
            if (++w == words_.size()) {
                return kNone;
            }
            word = words_[w];
        }
        return w * 64 + static_cast<std::size_t>(std::countr_zero(word));
    }
    /// Highest set bit in a word at or below that of `from`; kNone if there is none. Clears
    /// nothing.
    std::size_t last_from_word_of(std::size_t from) const {
        if (count_ == 0 || words_.empty()) {
            return kNone;
        }
        for (std::size_t w = from / 64 + 1; w-- > 0;) {
            if (words_[w] != 0) {
                return w * 64 + 63 - static_cast<std::size_t>(std::countl_zero(words_[w]));
            }
        }
        return kNone;
    }

  private:
    std::vector<std::uint64_t> words_;
    std::size_t count_ = 0;
};

}  // namespace terrane
