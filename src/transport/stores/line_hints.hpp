#pragma once
/// line_hints are the lines that are prefetched once an exchange is in: those that came, and those
/// that the next exchange writes. They are only hints, which neither read nor write.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onehop::stores {

/// A line_range is memory of each bank.
struct line_range {
  std::byte* begin;  ///< first byte, in bank 0
  std::size_t bank_stride, bytes;

  std::byte* bank(std::uint64_t exchange) const { return begin + (exchange - 1) % 2 * bank_stride; }
};

class line_hints {
 public:
  line_hints() = default;
  /// `to_write` is memory at targets, `to_read` memory of what arrives here.
  line_hints(const std::vector<line_range>& to_write, const std::vector<line_range>& to_read);

  bool empty() const noexcept { return hints_.empty(); }
  /// Gives the hints once exchange `arrived` is in and nothing of it has been read.
  void give(std::uint64_t arrived) const noexcept;

 private:
  struct hint {
    line_range lines;
    bool to_write;
  };
  std::vector<hint> hints_;  ///< hints in the order in which they are given
};

}  // namespace onehop::stores
