#pragma once
#include <cstdint>

namespace onehop {

/// Reads a counter that goes up evenly with time, in a few nanoseconds; it says nothing about the
/// unit. The result is always 0 where the processor has no such counter.
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
