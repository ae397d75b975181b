#pragma once
/// Which lines are asked for once an exchange is in: those that came, and those that the next one
/// writes. Only hints: they neither read nor write.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onehop::stores {

/// Memory of each bank.
struct line_range {
  std::byte* begin;  ///< in bank 0
  std::size_t bank_stride, bytes;

  std::byte* bank(std::uint64_t exchange) const { return begin + (exchange - 1) % 2 * bank_stride; }
};

class line_hints {
 public:
  line_hints() = default;
  /// `to_write` at targets, `to_read` of what arrives here.
  line_hints(const std::vector<line_range>& to_write, const std::vector<line_range>& to_read);

  bool empty() const noexcept { return hints_.empty(); }
  /// Exchange `arrived` is in and has been read nowhere.
  void give(std::uint64_t arrived) const noexcept;

 private:
  struct hint {
    line_range lines;
    bool to_write;
  };
  std::vector<hint> hints_;  ///< in this order
};

}  // namespace onehop::stores
