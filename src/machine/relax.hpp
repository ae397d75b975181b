#pragma once

namespace onehop {

/// Tells the core that its thread repeatedly reads something that another core will change.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace onehop
