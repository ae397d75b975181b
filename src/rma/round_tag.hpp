#pragma once
/// Every message of a round carries a tag, so that ranks in different operations notice the
/// mismatch.

#include <cstddef>
#include <cstdint>
#include <onehop/reduction.hpp>

namespace onehop {

enum class operation : std::uint64_t {
  barrier,
  broadcast,
  allgather,
  allreduce,
  alltoall,
  reduce,
  scan,
  reduce_scatter,
  alltoallv,
  gather,
  scatter,
  gatherv,
  scatterv,
  split,
  sparse_exchange,
  commit,
  count
};

// A tag holds, from its lowest bit: bytes, root, type and kind of the combination, and operation.
// Messages beyond 256 GiB are distinguished by their low bits only.
constexpr int bits_of_bytes = 38, bits_of_root = 16, bits_of_type = 3, bits_of_kind = 3;
constexpr int place_of_root = bits_of_bytes, place_of_type = place_of_root + bits_of_root,
              place_of_kind = place_of_type + bits_of_type,
              place_of_operation = place_of_kind + bits_of_kind;
static_assert(static_cast<std::uint64_t>(operation::count) <= 1U << (64 - place_of_operation));

constexpr std::uint64_t low_bits(std::uint64_t word, int bits) {
  return word & ((std::uint64_t{1} << bits) - 1);
}

constexpr std::uint64_t make_tag(operation what, std::size_t bytes, int root = 0) {
  return static_cast<std::uint64_t>(what) << place_of_operation |
         static_cast<std::uint64_t>(root) << place_of_root | low_bits(bytes, bits_of_bytes);
}
/// Ranks that combine values may also disagree about the operation and about the type of the
/// values.
constexpr std::uint64_t make_tag(operation what, const combiner& combine, std::size_t bytes,
                                 int root = 0) {
  return make_tag(what, bytes, root) | static_cast<std::uint64_t>(combine.type) << place_of_type |
         static_cast<std::uint64_t>(combine.kind) << place_of_kind;
}

/// Returns whether this is a tag with all bits inverted; it recognises tags of up to 128 GiB.
constexpr bool is_complement(std::uint64_t word) { return (word >> (bits_of_bytes - 1) & 1) != 0; }

constexpr operation operation_of(std::uint64_t tag) {
  return static_cast<operation>(tag >> place_of_operation);
}
constexpr std::size_t bytes_of(std::uint64_t tag) { return low_bits(tag, bits_of_bytes); }
constexpr int root_of(std::uint64_t tag) {
  return static_cast<int>(low_bits(tag >> place_of_root, bits_of_root));
}
constexpr number_type type_of(std::uint64_t tag) {
  return static_cast<number_type>(low_bits(tag >> place_of_type, bits_of_type));
}
constexpr reduction kind_of(std::uint64_t tag) {
  return static_cast<reduction>(low_bits(tag >> place_of_kind, bits_of_kind));
}

}  // namespace onehop
