#pragma once
/// A strided_copy is runs of bytes that lie apart, to be laid end to end by a kernel that moves a
/// word per thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace onehop::device {

/// A nest is one of the loops over runs: `count` of them, each `stride_bytes` after the beginning
/// of the one before; the stride may be negative.
struct nest {
  std::uint64_t count;
  std::int64_t stride_bytes;
};

/// These are a kernel's arguments. Everything but the strides is counted in words.
struct strided_copy {
  static constexpr int most_nests = 4;

  const std::byte* from;  ///< first byte of the first run
  std::byte* to;          ///< where word `first` of all runs goes
  std::uint32_t word_bytes;
  std::uint32_t run_words;
  std::uint32_t first, words;  ///< the words that are copied, counted over all runs end to end
  std::int32_t nests;
  std::uint32_t counts[most_nests];  ///< number of turns of each loop, the innermost first
  std::int64_t strides_bytes[most_nests];
};

/// Plans to copy `bytes` bytes of the runs laid end to end, from byte `first` on, to `to`; `nests`
/// has at most four loops, the innermost first. Words have 16 bytes, or as many as addresses,
/// strides and sizes allow. Returns no value where there are more words than a kernel counts.
std::optional<strided_copy> plan_copy(const std::byte* from, std::size_t run_bytes,
                                      std::span<const nest> nests, std::size_t first,
                                      std::size_t bytes, std::byte* to);

}  // namespace onehop::device
