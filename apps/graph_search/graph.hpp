#pragma once
/// Kernel 1 of Graph500 turns a list of edges into the rows that a search reads.

#include "partition.hpp"
#include "rank_grid.hpp"
#include "vertex.hpp"
#include "vertex_set.hpp"

#include <common/large_pages.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// A graph stores in compressed sparse rows, for each source of this rank, its neighbours among the
/// targets of this rank (partition.hpp). Each row is ascending, without repetitions and without the
/// vertex itself. Edges have no direction. If all ranks form one row, sources are the rank's own
/// vertices, and rows have all of their neighbours.
class graph {
 public:
  /// The constructor is collective; each rank gives any part of the list. Throws
  /// onehop::usage_error on every rank if an edge ends beyond the last vertex or if a rank would
  /// have 2^32 neighbours or more.
  graph(const rank_grid& ranks, const partition& parts, std::span<const edge> edges);

  const rank_grid& ranks() const noexcept { return ranks_; }
  const onehop::context& job() const noexcept { return ranks_.job(); }
  const partition& parts() const noexcept { return parts_; }
  /// Return the first vertex of this rank, and the number of its vertices.
  vertex first() const noexcept { return parts_.first(job().rank()); }
  vertex count() const noexcept { return parts_.count(job().rank()); }

  /// Returns the neighbours of a source among this rank's targets, as vertices.
  std::span<const vertex> neighbours(vertex source) const noexcept {
    return {neighbours_.data() + rows_[source], neighbours_.data() + rows_[source + 1]};
  }
  void prefetch_neighbours(vertex source) const noexcept {
    __builtin_prefetch(neighbours_.data() + rows_[source]);
  }
  /// Returns the total number of neighbours of all sources.
  std::uint64_t arcs() const noexcept { return rows_.back(); }
  /// Returns the sources that have a neighbour among this rank's targets.
  const vertex_set& begins() const noexcept { return begins_; }

  /// Returns how many neighbours this rank's vertex first() + local has on all ranks.
  vertex degree(vertex local) const noexcept { return degrees_[local]; }
  /// Returns which of this rank's vertices have a neighbour, counted from first().
  const vertex_set& connected() const noexcept { return connected_; }

 private:
  std::vector<edge> arcs_of_own(std::span<const edge> edges) const;
  void make_rows(std::vector<edge> arcs);
  void drop_repeated();
  void count_neighbours();

  rank_grid ranks_;
  partition parts_;
  std::vector<std::uint32_t> rows_;
  app_common::large_vector<vertex> neighbours_;
  std::vector<vertex> degrees_;
  vertex_set begins_, connected_;
};

}  // namespace graph_search
