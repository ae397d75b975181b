#pragma once
/// hand_memory is the shared memory that chains use, but accessible as plain memory of all ranks.

#include <cstddef>
#include <onehop/window.hpp>
#include <vector>

#include "benchmarks/flag_line.hpp"

namespace onehop::bench {

class hand_memory {
 public:
  /// The constructor is collective; the memory is zeroed and page aligned.
  hand_memory(const context& ctx, std::size_t bytes);

  /// Returns the share of any rank, for loads and stores.
  std::byte* of(int rank) const { return base_[static_cast<std::size_t>(rank)]; }
  flag_line& flag(int rank, std::size_t index) const {
    return reinterpret_cast<flag_line*>(of(rank))[index];
  }
  const context& ctx() const { return ctx_; }

  void await(const std::atomic<std::uint64_t>& flag, std::uint64_t value) const {
    await_flag(ctx_, flag, value);
  }

 private:
  context ctx_;
  window memory_;
  std::vector<std::byte*> base_;
};

}  // namespace onehop::bench
