#pragma once
/// This kernel concatenates runs of bytes: thread i moves word i.

#include "device/driver/strided_copy.hpp"
#include "device/inline.hpp"

namespace onehop::device {

/// A word16 is moved by one load and one store.
struct alignas(16) word16 {
  std::uint64_t low, high;
};

template <class Word>
struct gather_words {
  device::strided_copy job;

  ONEHOP_INLINE void operator()(std::uint32_t word) const {
    const std::uint32_t place = job.first + word;
    std::uint32_t run = place / job.run_words;
    auto offset = static_cast<std::int64_t>((place - run * job.run_words) * sizeof(Word));
    ONEHOP_UNROLL
    for (std::int32_t loop = 0; loop < device::strided_copy::most_nests; ++loop) {
      if (loop == job.nests) break;
      const std::uint32_t rounds = run / job.counts[loop];
      const std::uint32_t within = run - rounds * job.counts[loop];
      offset += static_cast<std::int64_t>(within) * job.strides_bytes[loop];
      run = rounds;
    }
    reinterpret_cast<Word*>(job.to)[word] = *reinterpret_cast<const Word*>(job.from + offset);
  }
};

/// Calls `run` with the kernel for the words of `job`.
template <class Run>
void with_words(const device::strided_copy& job, Run&& run) {
  switch (job.word_bytes) {
    case 16:
      return run(gather_words<word16>{job});
    case 8:
      return run(gather_words<std::uint64_t>{job});
    case 4:
      return run(gather_words<std::uint32_t>{job});
    case 2:
      return run(gather_words<std::uint16_t>{job});
    default:
      return run(gather_words<std::uint8_t>{job});
  }
}

}  // namespace onehop::device
