#pragma once
/// Validation checks the result of a search by the five rules of the Graph500 specification.

#include "partition.hpp"
#include "vertex.hpp"

#include <onehop/context.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// A tree_vertex is the position of a vertex in the tree of a search.
struct tree_vertex {
  vertex parent = no_vertex;
  std::int32_t level = -1;
  bool reached() const noexcept { return parent != no_vertex; }
};

/// Returns the results of all ranks on every rank, in 8 bytes for each vertex; collective.
std::vector<tree_vertex> gather_tree(const onehop::context& job, const partition& parts,
                                     std::span<const vertex> parents,
                                     std::span<const std::int32_t> levels);

enum class rule : std::uint8_t {
  no_cycle,          ///< parents lead from every reached vertex to the root
  tree_levels,       ///< a tree edge joins levels that differ by one; the root's level is 0
  edge_levels,       ///< an input edge joins levels that differ by at most one
  whole_component,   ///< an input edge joins two reached vertices, or two that were not reached
  tree_edges_exist,  ///< every vertex and its parent are joined by an input edge
  count
};
using rule_breaks = std::array<std::uint64_t, static_cast<std::size_t>(rule::count)>;

struct verdict {
  rule_breaks breaks{};     ///< vertices or edges that break each rule, summed over all ranks
  std::uint64_t edges = 0;  ///< input edges in the root's component
};

/// Checks a tree; collective. Each rank checks its vertices, and its part of the input against the
/// whole tree. The input is the list before a graph was constructed from it.
verdict validate(const onehop::context& job, const partition& parts, vertex root,
                 std::span<const tree_vertex> tree, std::span<const edge> edges);

}  // namespace graph_search
