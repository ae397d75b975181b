#pragma once
/// A kronecker makes the edges of the graph that the Graph500 benchmark searches.

#include "vertex.hpp"

#include <cstdint>
#include <span>

namespace graph_search {

/// This is the Kronecker generator of the Graph500 specification: each bit of an edge's two ends,
/// from the highest down, is (0,0) with probability 0.57, (0,1) or (1,0) with 0.19 each, (1,1) with
/// 0.05. The list contains self-loops and repeated edges.
///
/// Edge k is a function of seed, scale and k, and a bijection of their bits renumbers the vertices.
/// Successive edges are unrelated, so that their order needs no shuffling, and the list does not
/// depend on which rank makes which part of it.
class kronecker {
 public:
  /// Throws onehop::usage_error for a scale outside 1 to 31.
  kronecker(int scale, std::uint64_t seed);

  /// Writes edges first, first + 1, ... of the list.
  void fill(std::uint64_t first, std::span<edge> edges) const;

  /// Returns the number in the graph of the vertex that the generator numbers `plain`. All 2^scale
  /// numbers differ.
  vertex scrambled(vertex plain) const noexcept;

  std::uint64_t vertices() const noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(scale_);
  }

 private:
  vertex multiplied_and_reversed(vertex v, vertex factor, vertex offset) const noexcept;

  int scale_;
  std::uint64_t seed_;
  vertex factor_[2], offset_[2];
};

}  // namespace graph_search
