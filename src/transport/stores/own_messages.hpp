#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transport/stores/control_block.hpp"

namespace onehop::stores {

/// These are the places of this rank's messages in its ring, each in one piece.
///
/// A rank that posts while the last `open` rounds are open has seen that all others entered the
/// round before those. Each has then read all messages before that round.
class own_messages {
 public:
  /// A place counts the bytes of the ring from the beginning of the job.
  struct range {
    std::uint64_t begin, end;
    std::size_t bytes() const noexcept { return end - begin; }
    std::size_t offset() const noexcept { return begin % message_ring_bytes; }
  };

  /// Returns how many rounds, at most `most`, may stay open when a message of `bytes` is next.
  std::size_t most_left_open(std::size_t bytes, std::size_t most) const noexcept {
    const std::uint64_t end = from(end_, bytes).end;
    while (most > 0 && end - begin_[(rounds_ - most) % heads_per_rank] > message_ring_bytes) --most;
    return most;
  }
  /// Returns where a message would lie that is posted next, with `open` rounds open.
  range next(std::size_t bytes, std::size_t open) const noexcept {
    if (bytes == 0) return {end_, end_};
    // Others read the last message while this one is written, unless this rank runs ahead.
    return open > 0 ? from(end_, bytes) : from(rounded_up(end_, spacing(bytes)), bytes);
  }
  /// Takes a place for a message of this tag.
  void take(range place, std::uint64_t tag) noexcept {
    // Another tag gives another history: each step can be undone.
    history_ = (std::rotl(history_, 23) ^ tag) * 0x9e3779b97f4a7c15U;
    begin_[++rounds_ % heads_per_rank] = place.begin;
    end_ = place.end;
  }
  /// Returns the number of the last message, which is that of its round.
  std::uint64_t rounds() const noexcept { return rounds_; }
  /// Returns a number for the tags of all messages so far, in their order.
  std::uint64_t history() const noexcept { return history_; }

 private:
  /// A place that is used again after many rounds is written sooner, so short messages, which have
  /// places enough that way, lie closer to each other.
  static constexpr std::size_t spacing(std::size_t bytes) noexcept {
    constexpr std::size_t most_close = 512;
    return bytes <= most_close ? most_close + line_bytes : message_spacing;
  }
  static std::uint64_t rounded_up(std::uint64_t value, std::size_t unit) noexcept {
    return (value + unit - 1) / unit * unit;
  }
  static range from(std::uint64_t begin, std::size_t bytes) noexcept {
    const std::size_t whole = rounded_up(bytes, line_bytes);
    if (begin % message_ring_bytes + whole > message_ring_bytes)
      begin = rounded_up(begin, message_ring_bytes);
    return {begin, begin + whole};
  }

  std::array<std::uint64_t, heads_per_rank> begin_{};
  std::uint64_t end_ = 0, rounds_ = 0, history_ = 0;
};

}  // namespace onehop::stores
