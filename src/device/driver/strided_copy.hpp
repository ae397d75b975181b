#pragma once
/// A strided_copy describes separate runs of bytes, to be concatenated by a kernel that moves one
/// word per thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace onehop::device {

/// A nest is one of the loops over runs: `count` runs, each `stride_bytes` after the beginning of
/// the previous one; the stride may be negative.
struct nest {
  std::uint64_t count;
  std::int64_t stride_bytes;
};

/// These are a kernel's arguments. Everything except the strides is counted in words.
struct strided_copy {
  static constexpr int most_nests = 4;

  const std::byte* from;  ///< first byte of the first run
  std::byte* to;          ///< destination of word `first` of all runs
  std::uint32_t word_bytes;
  std::uint32_t run_words;
  std::uint32_t first, words;  ///< the words to copy, counted over all concatenated runs
  std::int32_t nests;
  std::uint32_t counts[most_nests];  ///< iterations of each loop, innermost first
  std::int64_t strides_bytes[most_nests];
};

/// Plans to copy `bytes` bytes of the concatenated runs, from byte `first` on, to `to`; `nests` has
/// at most four loops, innermost first. Words have 16 bytes, or as many as addresses, strides and
/// sizes allow. Returns no value if there are more words than a kernel can count.
std::optional<strided_copy> plan_copy(const std::byte* from, std::size_t run_bytes,
                                      std::span<const nest> nests, std::size_t first,
                                      std::size_t bytes, std::byte* to);

}  // namespace onehop::device
