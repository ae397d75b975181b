#include "validation.hpp"

#include "vertex_set.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <cstdlib>

namespace graph_search {
namespace {

using tree = std::span<const tree_vertex>;

/// An ancestry follows parents to the root and passes no vertex twice.
class ancestry {
 public:
  ancestry(tree all, std::uint64_t vertices, vertex root)
      : all_(all), vertices_(vertices), states_(all.size(), unknown) {
    states_[root] = all[root].parent == root ? leads_to_root : leads_nowhere;
  }

  bool lead_to_root(vertex v) {
    path_.clear();
    for (; v < vertices_ && states_[v] == unknown; v = all_[v].parent) {
      states_[v] = on_the_way;
      path_.push_back(v);
    }
    const bool good = v < vertices_ && states_[v] == leads_to_root;
    for (const vertex passed : path_) states_[passed] = good ? leads_to_root : leads_nowhere;
    return good;
  }

 private:
  enum state : std::uint8_t { unknown, on_the_way, leads_to_root, leads_nowhere };

  tree all_;
  std::uint64_t vertices_;
  std::vector<state> states_;
  std::vector<vertex> path_;
};

bool is_level_of_child(tree all, std::uint64_t vertices, vertex root, vertex v) {
  const auto [parent, level] = all[v];
  if (v == root) return level == 0;
  if (parent == no_vertex) return level == -1;
  return parent < vertices && level > 0 && level == all[parent].level + 1;
}

class checker {
 public:
  checker(const onehop::context& job, const partition& parts, vertex root, tree all)
      : job_(job),
        parts_(parts),
        root_(root),
        all_(all),
        joined_(parts.block_words() * static_cast<std::size_t>(job.size())) {}

  verdict run(std::span<const edge> edges) {
    for (const edge& e : edges) check(e);
    onehop::allreduce(job_, joined_.words(), onehop::reduction::bit_or);
    check_own_vertices();
    std::array<std::uint64_t, std::tuple_size_v<rule_breaks> + 1> sums;
    std::ranges::copy(found_.breaks, sums.begin());
    sums.back() = found_.edges;
    onehop::allreduce(job_, std::span<std::uint64_t>(sums));
    std::ranges::copy_n(sums.begin(), std::ssize(found_.breaks), found_.breaks.begin());
    found_.edges = sums.back();
    return found_;
  }

 private:
  void count(rule broken, bool kept) {
    found_.breaks[static_cast<std::size_t>(broken)] += kept ? 0 : 1;
  }

  void check(const edge& e) {
    const tree_vertex& a = all_[e.from];
    const tree_vertex& b = all_[e.to];
    count(rule::whole_component, a.reached() == b.reached());
    if (a.reached() && b.reached()) {
      ++found_.edges;
      count(rule::edge_levels, std::abs(a.level - b.level) <= 1);
    }
    if (a.parent == e.to) joined_.add(e.from);
    if (b.parent == e.from) joined_.add(e.to);
  }

  void check_own_vertices() {
    ancestry parents(all_, parts_.vertices(), root_);
    const vertex first = parts_.first(job_.rank());
    for (vertex v = first; v < first + parts_.count(job_.rank()); ++v) {
      count(rule::tree_levels, is_level_of_child(all_, parts_.vertices(), root_, v));
      if (v == root_) count(rule::whole_component, all_[v].reached());
      if (!all_[v].reached()) continue;
      count(rule::no_cycle, parents.lead_to_root(v));
      count(rule::tree_edges_exist, v == root_ || joined_.has(v));
    }
  }

  const onehop::context& job_;
  const partition& parts_;
  vertex root_;
  tree all_;
  vertex_set joined_;  ///< vertices that an input edge joins to their parents
  verdict found_;
};

}  // namespace

std::vector<tree_vertex> gather_tree(const onehop::context& job, const partition& parts,
                                     std::span<const vertex> parents,
                                     std::span<const std::int32_t> levels) {
  std::vector<tree_vertex> mine(parts.block());
  for (std::size_t k = 0; k < parents.size(); ++k) mine[k] = {parents[k], levels[k]};
  std::vector<tree_vertex> all(mine.size() * static_cast<std::size_t>(job.size()));
  onehop::allgather(job, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  all.resize(parts.vertices());
  return all;
}

verdict validate(const onehop::context& job, const partition& parts, vertex root,
                 std::span<const tree_vertex> tree, std::span<const edge> edges) {
  return checker(job, parts, root, tree).run(edges);
}

}  // namespace graph_search
