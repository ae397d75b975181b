#pragma once
#include <atomic>
#include <cstdint>
#include <onehop/context.hpp>

namespace onehop::bench {

/// A flag has a cache line of its own, and does not share the pair of lines that a processor
/// fetches together.
struct alignas(128) flag_line {
  std::atomic<std::uint64_t> value;
};

/// Does one turn of a wait that has taken long: it yields and occasionally throws peer_error if
/// another rank has failed.
void give_way(const context& ctx, int turn);

/// Spins until the flag reaches `value`.
inline void await_flag(const context& ctx, const std::atomic<std::uint64_t>& flag,
                       std::uint64_t value) {
  // The wait spins first, because a pause takes longer than a flag from a near core.
  for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin) {
    if (spin >= 1000) give_way(ctx, spin);
#if defined(__x86_64__)
    else if (spin >= 100)
      __builtin_ia32_pause();
#endif
  }
}

}  // namespace onehop::bench
