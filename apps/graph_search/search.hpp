#pragma once
/// Kernel 2 of Graph500 is a breadth-first search, level by level.

#include "discoveries.hpp"
#include "graph.hpp"

#include <common/large_pages.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace graph_search {

enum class variant : std::uint8_t {
  top_down,             ///< a rank tells the owner of every edge to its vertices
  pruned,               ///< a rank tells of each vertex once in a search
  direction_optimising  ///< pruned; in large levels vertices look for a parent in the last one
};
/// Returns the variant of this name; throws onehop::usage_error for any other name than "top-down",
/// "pruned" and "direction-optimising".
variant variant_named(std::string_view name);

/// The level_facts of a level are sums over all ranks.
struct level_facts {
  std::uint64_t vertices;  ///< number of vertices in the level
  std::uint64_t edges;     ///< edges from its vertices, counted once for each end in the level
  std::uint64_t told;      ///< vertices that ranks told each other to find the next level
  bool bottom_up;          ///< the next level's vertices looked for their parents themselves
};

/// A search gives each vertex the smallest parent that it could have. Parents are therefore the
/// same on any number of ranks in any grid, on any transport and for every variant.
///
/// Ranks form rows and columns (A. Buluc, K. Madduri, "Parallel breadth-first search on distributed
/// memory systems", SC11). Top-down, a level is expanded along columns, so that a rank knows which
/// of its sources are in it; the vertices found are folded along rows, to their owners. Bottom-up,
/// edges are followed in the opposite direction: a level is expanded along rows and folded along
/// columns.
class search {
 public:
  /// The constructor is collective; `of` must outlive the search. Throws as `discoveries` does.
  search(const graph& of, variant how);

  /// Searches from `root`; collective. Returns the levels in order, which remain valid until the
  /// next run. Throws onehop::usage_error on every rank for a root beyond the last vertex, and as
  /// collectives do.
  const std::vector<level_facts>& run(vertex root);

  /// Returns the parents of this rank's vertices. The root is its own parent; no_vertex means that
  /// the vertex was not reached.
  std::span<const vertex> parents() const noexcept { return parents_; }
  /// Returns for each of this rank's vertices the number of edges from the root, or -1 if it was
  /// not reached.
  std::span<const std::int32_t> levels() const noexcept { return levels_; }

 private:
  void begin(vertex root);
  bool goes_bottom_up(const level_facts& last) const noexcept;
  void top_down();
  void find_children(vertex source);
  void reach(vertex local, vertex parent);
  void take(std::span<const discovery> told);
  void bottom_up();
  void look_for_parent(vertex source);
  level_facts finish_level(std::int32_t level);

  vertex own(vertex v) const noexcept { return v - graph_.first(); }
  /// Returns the number of a vertex among the targets of its row.
  vertex target(vertex v) const noexcept { return v - first_target_; }

  const graph& graph_;
  variant how_;
  vertex first_target_;
  app_common::large_vector<vertex> parents_;
  std::vector<std::int32_t> levels_;
  /// This rank need not look at these targets again. They are its own vertices that were reached,
  /// and vertices of other ranks that it has told or that it knows to be reached.
  vertex_set known_;
  vertex_set next_;       ///< this rank's vertices of the level that is being found
  vertex_set frontier_;   ///< this rank's vertices of the previous level
  vertex_set sources_;    ///< sources in the previous level or, bottom-up, all reached sources
  vertex_set targets_;    ///< targets in the previous level, if levels go bottom-up
  discoveries children_;  ///< discoveries told along rows
  std::optional<discoveries> parents_found_;  ///< told along columns, if bottom-up
  std::uint64_t told_ = 0, scanned_ = 0;
  std::uint64_t unexplored_ = 0;  ///< edges from vertices that have not been reached
  bool is_bottom_up_ = false;
  std::vector<level_facts> facts_;
};

}  // namespace graph_search
