#pragma once
/// The functions here loop over runs of bytes and copy runs of one length.

#include <onehop/put.hpp>

#include <cstddef>
#include <cstring>

#include "machine/copy_bytes.hpp"

namespace onehop {

/// Calls visit(offset) for each run, in the order in which the runs travel.
template <class Visit>
void for_each_run(const strided_layout& runs, const Visit& visit) {
  for (std::size_t c = 0; c < runs.counts[2]; ++c)
    for (std::size_t b = 0; b < runs.counts[1]; ++b)
      for (std::size_t a = 0; a < runs.counts[0]; ++a)
        visit(static_cast<std::ptrdiff_t>(a) * runs.strides_bytes[0] +
              static_cast<std::ptrdiff_t>(b) * runs.strides_bytes[1] +
              static_cast<std::ptrdiff_t>(c) * runs.strides_bytes[2]);
}

/// Calls work(copy) with a function copy(to, from) for runs of `bytes`. Runs of 4, 8 and 16 bytes
/// have functions of their own. These are several times as fast as memcpy with a length that the
/// compiler does not know.
template <class Work>
void with_copy_of(std::size_t bytes, const Work& work) {
  const auto fixed = [&]<std::size_t Bytes>() {
    work([](std::byte* to, const std::byte* from) { std::memcpy(to, from, Bytes); });
  };
  if (bytes == 4) return fixed.template operator()<4>();
  if (bytes == 8) return fixed.template operator()<8>();
  if (bytes == 16) return fixed.template operator()<16>();
  work([bytes](std::byte* to, const std::byte* from) { copy_bytes(to, from, bytes); });
}

}  // namespace onehop
