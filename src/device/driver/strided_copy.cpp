#include "device/driver/strided_copy.hpp"

#include <algorithm>

namespace onehop::device {
namespace {

constexpr std::uint64_t widest_word = 16;
/// Threads are counted in 32 bits, including those of the last block.
constexpr std::uint64_t most_words = std::uint64_t{1} << 31;

/// Returns the largest power of two that divides all numbers whose bits are in `bits`.
std::uint64_t common_word(std::uint64_t bits) {
  bits |= widest_word;
  return bits & (~bits + 1);
}

}  // namespace

std::optional<strided_copy> plan_copy(const std::byte* from, std::size_t run_bytes,
                                      std::span<const nest> nests, std::size_t first,
                                      std::size_t bytes, std::byte* to) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(from) |
                       reinterpret_cast<std::uintptr_t>(to) | run_bytes | first | bytes;
  std::uint64_t whole = run_bytes;
  for (const nest& loop : nests) {
    bits |= static_cast<std::uint64_t>(loop.stride_bytes);
    whole *= loop.count;
  }
  const std::uint64_t word = common_word(bits);
  if (whole / word >= most_words || nests.size() > strided_copy::most_nests) return std::nullopt;
  const auto in_words = [&](std::uint64_t of) { return static_cast<std::uint32_t>(of / word); };
  strided_copy job{from,
                   to,
                   static_cast<std::uint32_t>(word),
                   in_words(run_bytes),
                   in_words(first),
                   in_words(bytes),
                   static_cast<std::int32_t>(nests.size()),
                   {},
                   {}};
  for (std::size_t loop = 0; loop < nests.size(); ++loop) {
    job.counts[loop] = static_cast<std::uint32_t>(nests[loop].count);
    job.strides_bytes[loop] = nests[loop].stride_bytes;
  }
  return job;
}

}  // namespace onehop::device
