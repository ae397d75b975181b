#pragma once
/// A partition says which rank has which vertices.

#include "vertex.hpp"

#include <algorithm>
#include <cstddef>

namespace graph_search {

/// Successive vertices are in blocks of equal size, one for each rank. A block is whole words of 64
/// vertices, so that blocks of a bitmap are gathered as they are; the last ranks may therefore have
/// fewer vertices than others, or none.
class partition {
 public:
  partition(std::uint64_t vertices, int ranks)
      : vertices_(vertices),
        block_((vertices + 64 * static_cast<unsigned>(ranks) - 1) /
               (64 * static_cast<unsigned>(ranks)) * 64) {}

  std::uint64_t vertices() const noexcept { return vertices_; }
  /// Returns the vertices of a block, those included that are beyond the last one.
  std::size_t block() const noexcept { return block_; }
  std::size_t block_words() const noexcept { return block_ / 64; }

  int owner(vertex v) const noexcept {
    return static_cast<int>(v / static_cast<std::uint32_t>(block_));
  }
  vertex first(int rank) const noexcept {
    return static_cast<vertex>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(rank) * block_, vertices_));
  }
  vertex count(int rank) const noexcept { return first(rank + 1) - first(rank); }

 private:
  std::uint64_t vertices_, block_;
};

}  // namespace graph_search
