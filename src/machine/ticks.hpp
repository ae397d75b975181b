#pragma once
#include <cstdint>

namespace onehop {

/// Reads a counter that advances evenly with time, in a few nanoseconds; its unit is not specified.
/// The result is always 0 if the processor has no such counter.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return 0;
#endif
}

}  // namespace onehop
