#pragma once
/// Kernel 1 of Graph500 turns a list of edges into the rows that a search reads.

#include "partition.hpp"
#include "vertex.hpp"
#include "vertex_set.hpp"

#include <onehop/context.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// A graph has the neighbours of this rank's vertices in compressed sparse rows: each row is
/// ascending, without the vertex itself and without repetitions. Edges have no direction.
class graph {
 public:
  /// The constructor is collective; each rank gives any part of the list. Throws
  /// onehop::usage_error on every rank for an end beyond the last vertex, and where a rank would
  /// have 2^32 neighbours or more.
  graph(const onehop::context& job, const partition& parts, std::span<const edge> edges);

  const onehop::context& job() const noexcept { return job_; }
  const partition& parts() const noexcept { return parts_; }
  /// These say which vertex of this rank is the first, and how many it has.
  vertex first() const noexcept { return parts_.first(job_.rank()); }
  vertex count() const noexcept { return parts_.count(job_.rank()); }

  /// Returns the neighbours of this rank's vertex first() + local.
  std::span<const vertex> neighbours(vertex local) const noexcept {
    return {neighbours_.data() + rows_[local], neighbours_.data() + rows_[local + 1]};
  }
  vertex degree(vertex local) const noexcept { return rows_[local + 1] - rows_[local]; }
  /// Returns the sum of the degrees of this rank's vertices.
  std::uint64_t degrees() const noexcept { return rows_.back(); }
  /// Returns those of this rank's vertices, counted from first(), that have a neighbour.
  const vertex_set& connected() const noexcept { return connected_; }

 private:
  std::vector<edge> arcs_of_own(std::span<const edge> edges) const;
  void make_rows(std::vector<edge> arcs);
  void drop_repeated();

  onehop::context job_;
  partition parts_;
  std::vector<std::uint32_t> rows_;
  std::vector<vertex> neighbours_;
  vertex_set connected_;
};

}  // namespace graph_search
