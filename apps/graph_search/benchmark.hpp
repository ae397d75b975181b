#pragma once
/// The Graph500 benchmark makes a graph and searches it, for the command and for `main.cpp`.

#include "search.hpp"
#include "validation.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace graph_search {

/// An edge_list is a graph before its construction: this rank's part of the input.
struct edge_list {
  std::uint64_t vertices = 0;
  std::vector<edge> edges;
};

/// Makes this rank's part of the edge_factor * 2^scale edges of `kronecker`. Throws
/// onehop::usage_error for a scale outside 1 to 31 or a factor outside 1 to 2^20.
edge_list generate(const onehop::context& job, int scale, int edge_factor, std::uint64_t seed);

struct search_report {
  vertex root;
  double time_s;  ///< time of the slowest rank
  verdict checked;
  std::vector<level_facts> levels;
};

/// All members that search or choose roots are collective.
class benchmark {
 public:
  /// The constructor is collective and runs kernel 1. Ranks form `rows` rows of equal length.
  /// Throws as `graph` does, and onehop::usage_error if the list has no vertices.
  benchmark(const onehop::context& job, edge_list input, variant how, int rows = 1);

  /// Returns the time of kernel 1 on the slowest rank.
  double construction_s() const noexcept { return construction_s_; }
  /// Returns `most` different vertices that have a neighbour, drawn by `seed`, or all such vertices
  /// in ascending order if there are no more than that.
  std::vector<vertex> roots(int most, std::uint64_t seed) const;
  /// Runs kernel 2, and then the check of the five rules, which is not part of the reported time.
  search_report run(vertex root);
  /// Returns the tree that the last search has found, for the whole graph.
  std::span<const tree_vertex> tree() const noexcept { return tree_; }

 private:
  template <class Work>
  double slowest(const Work& work) const;

  onehop::context job_;
  rank_grid ranks_;
  edge_list input_;
  partition parts_;
  std::unique_ptr<graph> graph_;
  std::unique_ptr<search> search_;
  std::vector<tree_vertex> tree_;
  double construction_s_ = 0;
};

}  // namespace graph_search
