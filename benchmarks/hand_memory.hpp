#pragma once
/// The same shared memory that chains use, as plain memory of all ranks.

#include <atomic>
#include <cstddef>
#include <onehop/window.hpp>
#include <vector>

namespace onehop::bench {

/// Flags have lines of their own, and not the line that comes along with another's.
struct alignas(128) flag_line {
  std::atomic<std::uint64_t> value;
};

class hand_memory {
 public:
  /// Collective. Zeroed, page aligned.
  hand_memory(const context& ctx, std::size_t bytes);

  /// The share of any rank, for loads and stores.
  std::byte* of(int rank) const { return base_[static_cast<std::size_t>(rank)]; }
  flag_line& flag(int rank, std::size_t index) const {
    return reinterpret_cast<flag_line*>(of(rank))[index];
  }
  const context& ctx() const { return ctx_; }

  /// Spins until the flag reaches `value`; gives way after a while, and throws peer_error when
  /// another rank fails.
  void await(const std::atomic<std::uint64_t>& flag, std::uint64_t value) const {
    // A pause takes longer than a near core's flag.
    for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin)
      if (spin >= 1000)
        give_way(spin);
      else if (spin >= 100)
        relax();
  }

 private:
  static void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  void give_way(int spin) const;

  context ctx_;
  window memory_;
  std::vector<std::byte*> base_;
};

}  // namespace onehop::bench
