#pragma once
#include <cstdint>
#include <onehop/window.hpp>

#include "rma/exposed_memory.hpp"
#include "rma/rank_table.hpp"

namespace onehop {

struct window::state {
  context ctx;
  rank_table<std::size_t> bytes;  ///< bytes of one bank, by rank
  int banks;
  std::shared_ptr<exposed_memory> memory;
  /// A registered window exposes `existing`, the caller's own memory. `memory` is then only a name
  /// that all ranks know.
  bool registered = false;
  std::span<std::byte> existing = {};
  /// Says for each rank whether its memory lies on a device; empty for an allocated window.
  rank_table<std::uint8_t> on_device = {};

  /// Banks begin at page boundaries, so that no two banks share a cache line.
  static std::size_t bank_stride(std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    return (bytes + page - 1) / page * page;
  }
};

}  // namespace onehop
