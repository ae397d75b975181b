#pragma once
/// What travels with every message of a round, so that ranks in different operations notice.

#include <cstddef>
#include <cstdint>

namespace onehop {

enum class operation : std::uint64_t { barrier, broadcast, allgather, sum, max, alltoall };

constexpr std::uint64_t make_tag(operation what, std::size_t bytes) {
  return static_cast<std::uint64_t>(what) << 56 | bytes;
}
constexpr operation operation_of(std::uint64_t tag) { return static_cast<operation>(tag >> 56); }
constexpr std::size_t bytes_of(std::uint64_t tag) { return tag & ((std::uint64_t{1} << 56) - 1); }

}  // namespace onehop
