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

/// A graph has in compressed sparse rows, for each source of this rank, those of its neighbours
/// that are targets of this rank (partition.hpp): each row is ascending, without the vertex itself
/// and without repetitions. Edges have no direction. Where all ranks stand in one row, sources are
/// the rank's own vertices, and rows have all of their neighbours.
class graph {
 public:
  /// The constructor is collective; each rank gives any part of the list. Throws
  /// onehop::usage_error on every rank for an end beyond the last vertex, and where a rank would
  /// have 2^32 neighbours or more.
  graph(const rank_grid& ranks, const partition& parts, std::span<const edge> edges);

  const rank_grid& ranks() const noexcept { return ranks_; }
  const onehop::context& job() const noexcept { return ranks_.job(); }
  const partition& parts() const noexcept { return parts_; }
  /// These say which vertex of this rank is the first, and how many it has.
  vertex first() const noexcept { return parts_.first(job().rank()); }
  vertex count() const noexcept { return parts_.count(job().rank()); }

  /// Returns the neighbours of a source among this rank's targets, as vertices.
  std::span<const vertex> neighbours(vertex source) const noexcept {
    return {neighbours_.data() + rows_[source], neighbours_.data() + rows_[source + 1]};
  }
  void prefetch_neighbours(vertex source) const noexcept {
    __builtin_prefetch(neighbours_.data() + rows_[source]);
  }
  /// Returns how many there are of all sources.
  std::uint64_t arcs() const noexcept { return rows_.back(); }
  /// Returns the sources that have a neighbour among this rank's targets.
  const vertex_set& begins() const noexcept { return begins_; }

  /// Returns how many neighbours this rank's vertex first() + local has on all ranks.
  vertex degree(vertex local) const noexcept { return degrees_[local]; }
  /// Returns those of this rank's vertices, counted from first(), that have a neighbour.
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
