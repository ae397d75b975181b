#pragma once
/// Blocks to every rank that fit into the message of a round travel with it, where a rank reads of
/// a message only what it wants: first the offsets of all blocks from its beginning and that of
/// their end, then the blocks. A message that begins with 0 says that they come by the exchange of
/// blocks.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <onehop/context.hpp>
#include <optional>
#include <span>

#include "machine/copy_bytes.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

class short_blocks {
 public:
  /// A message has no more bytes, whatever a round takes.
  static constexpr std::size_t most_bytes = 8192;

  /// `send` has a block for every rank.
  short_blocks(const context& ctx, std::span<const std::span<const std::byte>> send) {
    const bootstrap& via = bootstrap_of(ctx);
    if (!via.reads_in_place()) return;
    const std::size_t table = (send.size() + 1) * sizeof(offset);
    std::size_t all = table;
    for (const auto& block : send) all += block.size();
    fit_ = all <= std::min(via.round_bytes(), most_bytes);
    bytes_ = fit_ ? all : sizeof(offset);
    std::size_t begin = fit_ ? table : 0;
    set(0, begin);
    for (std::size_t rank = 0; fit_ && rank < send.size(); ++rank) {
      if (!send[rank].empty())
        copy_bytes(message_.data() + begin, send[rank].data(), send[rank].size());
      begin += send[rank].size();
      set(rank + 1, begin);
    }
  }

  /// Returns whether all blocks are in the message.
  bool fit() const noexcept { return fit_; }
  /// Returns the message, empty where it has no use.
  std::span<const std::byte> message() const noexcept { return {message_.data(), bytes_}; }

  /// Returns the block for `rank` in a message that is not empty; no value where it comes by the
  /// exchange.
  static std::optional<std::span<const std::byte>> block(const std::byte* message, int rank) {
    offset first, of[2];
    std::memcpy(&first, message, sizeof first);
    if (first == 0) return std::nullopt;
    std::memcpy(of, message + static_cast<std::size_t>(rank) * sizeof(offset), sizeof of);
    return std::span(message + of[0], of[1] - of[0]);
  }

 private:
  using offset = std::uint32_t;
  void set(std::size_t place, std::size_t value) {
    const auto written = static_cast<offset>(value);
    std::memcpy(message_.data() + place * sizeof(offset), &written, sizeof written);
  }

  std::array<std::byte, most_bytes> message_;
  std::size_t bytes_ = 0;
  bool fit_ = false;
};

}  // namespace onehop
