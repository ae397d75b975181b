#pragma once
/// A tag travels with every message of a round, so that ranks in different operations notice.

#include <cstddef>
#include <cstdint>

namespace onehop {

enum class operation : std::uint64_t {
  barrier,
  broadcast,
  allgather,
  sum,
  max,
  alltoall,
  min,
  bit_and,
  bit_or,
  bit_xor,
  reduce,
  scan,
  reduce_scatter,
  alltoallv,
  gather,
  scatter,
  split,
  sparse_exchange,
  commit,
  count
};

constexpr int bits_of_bytes = 40, bits_of_root = 16;

constexpr std::uint64_t make_tag(operation what, std::size_t bytes, int root = 0) {
  return static_cast<std::uint64_t>(what) << (bits_of_bytes + bits_of_root) |
         static_cast<std::uint64_t>(root) << bits_of_bytes | bytes;
}
constexpr operation operation_of(std::uint64_t tag) {
  return static_cast<operation>(tag >> (bits_of_bytes + bits_of_root));
}
constexpr std::size_t bytes_of(std::uint64_t tag) {
  return tag & ((std::uint64_t{1} << bits_of_bytes) - 1);
}
constexpr int root_of(std::uint64_t tag) {
  return static_cast<int>(tag >> bits_of_bytes & ((1U << bits_of_root) - 1));
}

}  // namespace onehop
