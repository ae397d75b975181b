#pragma once
/// The five rules by which the Graph500 specification checks what a search has found.

#include "partition.hpp"
#include "vertex.hpp"

#include <onehop/context.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace graph_search {

/// Where a search puts a vertex.
struct tree_vertex {
  vertex parent = no_vertex;
  std::int32_t level = -1;
  bool reached() const noexcept { return parent != no_vertex; }
};

/// Collective: what all ranks have found, on every rank. It takes 8 bytes for each vertex.
std::vector<tree_vertex> gather_tree(const onehop::context& job, const partition& parts,
                                     std::span<const vertex> parents,
                                     std::span<const std::int32_t> levels);

enum class rule : std::uint8_t {
  no_cycle,          ///< parents lead from every reached vertex to the root
  tree_levels,       ///< a tree edge joins levels that differ by one, of which the root's is 0
  edge_levels,       ///< an input edge joins levels that differ by at most one
  whole_component,   ///< an input edge joins reached vertices or ones that were not
  tree_edges_exist,  ///< every vertex and its parent are an input edge
  count
};
using rule_breaks = std::array<std::uint64_t, static_cast<std::size_t>(rule::count)>;

struct verdict {
  rule_breaks breaks{};     ///< of each rule by vertices or edges, all ranks together
  std::uint64_t edges = 0;  ///< of the input that lie in the root's component
};

/// Collective: each rank checks its vertices and the part of the input that it gives, all of them
/// with the whole tree. The input is the list as it was before any graph was made of it.
verdict validate(const onehop::context& job, const partition& parts, vertex root,
                 std::span<const tree_vertex> tree, std::span<const edge> edges);

}  // namespace graph_search
