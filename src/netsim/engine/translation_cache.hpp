#pragma once
/// A translation_cache has the translations of pages that nodes remember.

#include <algorithm>
#include <cstdint>

#include "netsim/machine/compiled_machine.hpp"

namespace onehop::netsim {

/// Every translation stage of every node remembers some pages, the one used last first.
class translation_cache {
 public:
  explicit translation_cache(const compiled_machine& machine)
      : pages_per_node_(machine.pages_per_node),
        pages_(std::size_t{machine.nodes} * pages_per_node_, no_index) {}

  /// Returns how long the stage looks up the pages of `bytes` bytes from `address` on, and
  /// remembers these pages.
  picoseconds look_up(const packet_stage& stage, std::uint32_t node, std::uint64_t address,
                      std::uint32_t bytes) {
    if (stage.entries == 0) return stage.miss;
    const auto first = pages_.begin() + static_cast<std::ptrdiff_t>(
                                            std::size_t{node} * pages_per_node_ + stage.pages_at);
    const auto last = first + stage.entries;
    picoseconds cost = 0;
    const auto end = (address + std::max(bytes, 1U) - 1) / stage.page;
    for (auto page = address / stage.page; page <= end; ++page) {
      const auto wanted = short_of(page);
      auto found = std::find(first, last, wanted);
      cost += found == last ? stage.miss : stage.hit;
      if (found == last) --found;
      std::copy_backward(first, found, found + 1);
      *first = wanted;
    }
    return cost;
  }

  /// Returns what stands for a page. Windows lie 2^40 bytes apart, so that the upper half of the
  /// number tells them apart, too.
  static std::uint32_t short_of(std::uint64_t page) noexcept {
    constexpr std::uint32_t odd = 0x9e3779b1;
    return static_cast<std::uint32_t>(page) ^ static_cast<std::uint32_t>(page >> 32) * odd;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return pages_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t pages_per_node_;
  big_vector<std::uint32_t> pages_;
};

}  // namespace onehop::netsim
