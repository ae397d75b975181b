#pragma once
/// A combine_job is values of several ranks that lie in a device's memory, to be combined by a
/// kernel with a thread for each.

#include <cstddef>
#include <cstdint>

namespace onehop::device {

/// These are a kernel's arguments: value i of `into` becomes that of from[0], combined with those
/// of from[1], from[2] and so on, in this order. `into` may be one of them.
struct combine_job {
  static constexpr int most_sources = 8;

  std::int32_t kind;  ///< a reduction of <onehop/reduction.hpp>, as a number
  std::int32_t type;  ///< a number_type of the same, but `other`, as a number
  std::int32_t sources;
  const std::byte* from[most_sources];
  std::byte* into;
  std::uint32_t values;
};

}  // namespace onehop::device
