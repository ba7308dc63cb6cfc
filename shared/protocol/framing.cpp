#include "shared/protocol/framing.h"

#include <algorithm>
#include <cstring>

namespace terrane {

void AlignedBytes::append(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) {
        return;
    }
    const std::size_t offset = size_;
    size_ += bytes.size();
    words_.resize((size_ + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    std::memcpy(data() + offset, bytes.data(), bytes.size());
}

void AlignedBytes::pad_to_word() {
    while (size_ % sizeof(std::uint64_t) != 0) {
        data()[size_] = 0;
        ++size_;
    }
}

void AlignedBytes::clear() {
    words_.clear();
    size_ = 0;
}

std::uint32_t read_prefix(std::span<const std::uint8_t> prefix) {
    return static_cast<std::uint32_t>(prefix[0]) | (static_cast<std::uint32_t>(prefix[1]) << 8) |
           (static_cast<std::uint32_t>(prefix[2]) << 16) |
           (static_cast<std::uint32_t>(prefix[3]) << 24);
}

Result<std::span<const std::uint8_t>> FrameReader::next(std::span<const std::uint8_t>& input) {
    if (is_broken_) {
        return fail("frame: the stream was already given up");
    }
    if (is_delivered_) {
        frame_.clear();
        message_bytes_ = 0;
        is_delivered_ = false;
    }
    if (message_bytes_ == 0) {
        take(input, kFramePrefixBytes);
        if (frame_.size() < kFramePrefixBytes) {
            return std::span<const std::uint8_t>{};
        }
        const std::size_t length = read_prefix(frame_.span());
        if (length < kMessageBytesMin || length > message_bytes_max_) {
            is_broken_ = true;
            return fail("frame: length {}, must be {} to {} bytes", length, kMessageBytesMin,
                        message_bytes_max_);
        }
        message_bytes_ = length;
    }
    take(input, kFramePrefixBytes + message_bytes_);
    if (frame_.size() < kFramePrefixBytes + message_bytes_) {
        return std::span<const std::uint8_t>{};
    }
    is_delivered_ = true;
    return frame_.span();
}

void FrameReader::take(std::span<const std::uint8_t>& input, std::size_t up_to) {
    const std::size_t count = std::min(input.size(), up_to - frame_.size());
    frame_.append(input.first(count));
    input = input.subspan(count);
}

}  // namespace terrane
