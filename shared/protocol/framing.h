// Framing of the byte stream. A frame is one message as it travels, prefix included:
//
//   +--------------------+------------------------------------------------+
//   | u32 little-endian  | FlatBuffer: root offset u32, identifier, data  |
//   | bytes that follow  | (a FlatBuffers size-prefixed buffer)           |
//   +--------------------+------------------------------------------------+
//   0                    4                                                4 + n
//
// FlatBuffers aligns its data to the start of the prefix, so a frame is kept, verified and read
// whole and never without its prefix. FrameReader cuts a stream into frames at any split of the
// bytes. It judges a prefix before it stores anything for it, and its memory follows the bytes that
// came, not those that were announced.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "shared/core/result.h"
#include "shared/protocol/limits.h"

namespace terrane {

using Bytes = std::vector<std::uint8_t>;
/// One frame for many readers: a chunk is encoded once and sent to all who see it.
using SharedBytes = std::shared_ptr<const Bytes>;

/// Bytes that begin at a multiple of 8, as FlatBuffers wants them. Grows, never shrinks.
class AlignedBytes {
  public:
    std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
    const std::uint8_t* data() const {
        return reinterpret_cast<const std::uint8_t*>(words_.data());
    }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return words_.capacity() * sizeof(std::uint64_t); }
    std::span<const std::uint8_t> span() const { return {data(), size_}; }
    void append(std::span<const std::uint8_t> bytes);
    /// Zeros up to a multiple of 8, so that what is appended next is aligned too.
    void pad_to_word();
    void clear();

  private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

class FrameReader {
  public:
    /// `message_bytes_max` limits the prefix's value.
    explicit FrameReader(std::size_t message_bytes_max) : message_bytes_max_(message_bytes_max) {}

    /// For the frames whose prefix has not come yet.
    void set_limit(std::size_t message_bytes_max) { message_bytes_max_ = message_bytes_max; }

    /// Takes bytes from the front of `input` until a frame is whole and returns it (aligned, valid
    /// until the next call), or an empty span once `input` is used up. Fails on a length below
    /// kMessageBytesMin or over the limit, and from then on always: the stream has lost its place.
    Result<std::span<const std::uint8_t>> next(std::span<const std::uint8_t>& input);

    /// Bytes of a frame that is not whole yet.
    std::size_t pending_bytes() const { return is_delivered_ ? 0 : frame_.size(); }
    std::size_t memory_bytes() const { return frame_.capacity(); }

  private:
    void take(std::span<const std::uint8_t>& input, std::size_t up_to);

    AlignedBytes frame_;
    std::size_t message_bytes_max_;
    std::size_t message_bytes_ = 0;  ///< of the frame being read, 0 = prefix not whole
    bool is_delivered_ = false;      ///< frame_ was handed out and goes at the next call
    bool is_broken_ = false;
};

/// The value of a prefix; `prefix` holds at least kFramePrefixBytes.
std::uint32_t read_prefix(std::span<const std::uint8_t> prefix);

}  // namespace terrane
