#pragma once
#include <atomic>
#include <cstdint>
#include <onehop/context.hpp>

namespace onehop::bench {

/// Flags have lines of their own, and not the line that comes along with another's.
struct alignas(128) flag_line {
  std::atomic<std::uint64_t> value;
};

/// One turn of a wait that has taken long: gives way and, now and then, throws peer_error when
/// another rank failed.
void give_way(const context& ctx, int turn);

/// Spins until the flag reaches `value`.
inline void await_flag(const context& ctx, const std::atomic<std::uint64_t>& flag,
                       std::uint64_t value) {
  // A pause takes longer than a near core's flag.
  for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin) {
    if (spin >= 1000) give_way(ctx, spin);
#if defined(__x86_64__)
    else if (spin >= 100)
      __builtin_ia32_pause();
#endif
  }
}

}  // namespace onehop::bench
