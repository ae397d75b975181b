#pragma once
/// Copies of runs of one length, one after the other.

#include <cstddef>
#include <cstring>

namespace onehop {

/// Calls work(copy) with a function copy(to, from) for runs of `bytes`. Runs of a word or two have
/// one of their own, which is several times as fast as memcpy of a length that it must look at.
template <class Work>
void with_copy_of(std::size_t bytes, const Work& work) {
  const auto fixed = [&]<std::size_t Bytes>() {
    work([](std::byte* to, const std::byte* from) { std::memcpy(to, from, Bytes); });
  };
  if (bytes == 4) return fixed.template operator()<4>();
  if (bytes == 8) return fixed.template operator()<8>();
  if (bytes == 16) return fixed.template operator()<16>();
  work([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

}  // namespace onehop
