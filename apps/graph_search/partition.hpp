#pragma once
/// A partition says which rank has which vertices, and which rank has which edges.

#include "vertex.hpp"

#include <algorithm>
#include <cstddef>

namespace graph_search {

/// Each rank has a block of successive vertices; blocks have equal size. A block consists of whole
/// words of 64 vertices, so that the blocks of a bitmap are gathered without shifts. The last ranks
/// may therefore have fewer vertices than others, or none.
///
/// Ranks form rows and columns as in rank_grid. A rank has the edges that lead from vertices of its
/// column, its sources, to vertices of its row, its targets. Sources and targets are numbered from
/// 0 in ascending order; the targets of a row are successive vertices.
class partition {
 public:
  explicit partition(std::uint64_t vertices, int columns, int rows = 1)
      : vertices_(vertices),
        rows_(static_cast<std::uint32_t>(rows)),
        columns_(static_cast<std::uint32_t>(columns)),
        block_((vertices + std::uint64_t{64} * rows_ * columns_ - 1) /
               (std::uint64_t{64} * rows_ * columns_) * 64) {}

  std::uint64_t vertices() const noexcept { return vertices_; }
  /// Returns the number of vertices of a block, including those beyond the last vertex.
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

  int row(int rank) const noexcept { return rank / static_cast<int>(columns_); }
  int column(int rank) const noexcept { return rank % static_cast<int>(columns_); }
  /// Returns the rank that has an edge in the given direction.
  int owner(const edge& arc) const noexcept {
    return row(owner(arc.to)) * static_cast<int>(columns_) + column(owner(arc.from));
  }

  /// Return the number of sources and of targets of a rank, including those beyond the last vertex.
  std::size_t sources() const noexcept { return rows_ * block_; }
  std::size_t targets() const noexcept { return columns_ * block_; }
  /// Returns the number of a vertex among the sources of its column.
  vertex source(vertex v) const noexcept {
    const auto block = static_cast<std::uint32_t>(block_), of = v / block;
    return v - (of - of / columns_) * block;
  }
  /// Returns the vertex that is source `number` of a column.
  vertex vertex_of_source(vertex number, int column) const noexcept {
    const auto block = static_cast<std::uint32_t>(block_), before = number / block;
    return number + (before * (columns_ - 1) + static_cast<std::uint32_t>(column)) * block;
  }
  /// Returns the vertex that is target 0 of a row; it may be beyond the last vertex.
  vertex first_target(int row) const noexcept {
    return static_cast<vertex>(static_cast<std::uint64_t>(row) * targets());
  }

 private:
  std::uint64_t vertices_;
  std::uint32_t rows_, columns_;
  std::uint64_t block_;
};

}  // namespace graph_search
