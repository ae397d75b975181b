#pragma once
/// A timed_block is a block of steps timed on one rank, for any contender.

#include <sys/resource.h>

#include <chrono>
#include <cstdint>

namespace onehop::bench {

struct timed_block {
  double us;                   ///< microseconds of all steps
  std::uint64_t disturbances;  ///< how often the rank lost its core during the block
  bool failed = false;         ///< the contender could not do the steps
};

inline std::uint64_t lost_cores() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

/// Times `steps` steps after some untimed ones, because ranks leave a barrier one after the other,
/// and other contenders have used the caches.
template <class Contender>
timed_block time_block(Contender& who, std::uint64_t steps) {
  using clock = std::chrono::steady_clock;
  who.run(1 + steps / 8);
  const std::uint64_t before = lost_cores();
  const clock::time_point begin = clock::now();
  who.run(steps);
  const clock::time_point end = clock::now();
  return {std::chrono::duration<double, std::micro>(end - begin).count(), lost_cores() - before};
}

}  // namespace onehop::bench
