#pragma once
/// Runs of bytes that lie apart, to be laid end to end by a kernel that moves a word per thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace onehop::device {

/// One of the loops that runs lie in: so many, from the beginning of one to that of the next so
/// many bytes, which may be negative.
struct nest {
  std::uint64_t count;
  std::int64_t stride_bytes;
};

/// These are a kernel's arguments. All but the strides counts words.
struct strided_copy {
  static constexpr int most_nests = 4;

  const std::byte* from;  ///< the first run
  std::byte* to;          ///< of word `first` of all runs
  std::uint32_t word_bytes;
  std::uint32_t run_words;
  std::uint32_t first, words;  ///< of all runs end to end, those that are copied
  std::int32_t nests;
  std::uint32_t counts[most_nests];  ///< innermost loop first
  std::int64_t strides_bytes[most_nests];
};

/// `bytes` of the runs laid end to end, from byte `first` on, to `to`; `nests` from the innermost
/// on, at most four. Words have 16 bytes, or as many as addresses, strides and sizes allow. No
/// value where there are more of them than a kernel counts.
std::optional<strided_copy> plan_copy(const std::byte* from, std::size_t run_bytes,
                                      std::span<const nest> nests, std::size_t first,
                                      std::size_t bytes, std::byte* to);

}  // namespace onehop::device
