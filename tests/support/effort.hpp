#pragma once
/// These say how much of what a test repeats it does in this build.

#include <algorithm>
#include <cstdint>

namespace test {

/// Returns how many of the usual repetitions or seeds are run: all, or under a sanitizer, where
/// each takes many times as long and one is as likely to touch wrong memory as another, the first
/// few.
constexpr std::uint64_t share_of(std::uint64_t usual) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t divisor = 20;
  return std::max<std::uint64_t>(usual / divisor, 1);
#else
  return usual;
#endif
}

}  // namespace test
