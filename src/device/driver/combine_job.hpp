#pragma once
/// A combine_job describes values of several ranks in a device's memory, to be combined by a kernel
/// with one thread per value.

#include <cstddef>
#include <cstdint>

namespace onehop::device {

/// These are a kernel's arguments: value i of `into` is set to value i of from[0], combined with
/// that of from[1], from[2] and so on, in this order. `into` may be one of them.
struct combine_job {
  static constexpr int most_sources = 8;

  std::int32_t kind;  ///< a reduction of <onehop/reduction.hpp>, as a number
  std::int32_t type;  ///< one of its number_types except `other`, as a number
  std::int32_t sources;
  const std::byte* from[most_sources];
  std::byte* into;
  std::uint32_t values;
};

}  // namespace onehop::device
