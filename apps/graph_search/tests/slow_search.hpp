#pragma once
/// These are graphs, and a slow and obvious search of them.

#include <graph_search/benchmark.hpp>

#include <algorithm>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace graph_search {

/// Ranks check with this, because Boost's assertions are not safe in several threads.
inline void expect(bool condition, const std::string& what = {},
                   std::source_location where = std::source_location::current()) {
  if (!condition)
    throw std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": not as expected: " + what);
}

struct small_graph {
  std::string name;
  std::uint64_t vertices;
  std::vector<edge> edges;
  vertex root;
};

inline std::vector<tree_vertex> slow_search(const small_graph& of) {
  std::vector<tree_vertex> tree(of.vertices);
  tree[of.root] = {of.root, 0};
  for (std::int32_t level = 0;; ++level) {
    bool found = false;
    const auto visit = [&](vertex from, vertex to) {
      if (tree[from].level != level || from == to) return;
      tree_vertex& child = tree[to];
      if (child.reached() && child.level != level + 1) return;
      child = {std::min(child.parent, from), level + 1};
      found = true;
    };
    for (const edge& e : of.edges) visit(e.from, e.to), visit(e.to, e.from);
    if (!found) return tree;
  }
}

inline small_graph path(vertex count) {
  small_graph made{"path of " + std::to_string(count), count, {}, 0};
  for (vertex v = 0; v + 1 < count; ++v) made.edges.push_back({v + 1, v});
  return made;
}
inline small_graph star(vertex count, vertex centre, vertex root) {
  small_graph made{"star", count, {}, root};
  for (vertex v = 0; v < count; ++v)
    if (v != centre) made.edges.push_back({centre, v});
  return made;
}
inline small_graph grid(vertex width, vertex height) {
  small_graph made{"grid", std::uint64_t{width} * height, {}, width / 2};
  for (vertex y = 0; y < height; ++y)
    for (vertex x = 0; x < width; ++x) {
      if (x + 1 < width) made.edges.push_back({y * width + x, y * width + x + 1});
      if (y + 1 < height) made.edges.push_back({y * width + x, (y + 1) * width + x});
    }
  return made;
}
/// Makes a graph of a ring and two triangles, one of which has loops and repeated edges, and of
/// vertices without edges.
inline small_graph pieces() {
  small_graph made{"pieces", 400, {{7, 7}, {200, 201}, {201, 202}, {202, 200}}, 300};
  for (const edge e : {edge{300, 390}, {390, 311}, {311, 300}, {300, 300}})
    made.edges.insert(made.edges.end(), 3, e);
  for (vertex v = 0; v < 100; ++v) made.edges.push_back({v, (v + 1) % 100});
  return made;
}
inline small_graph generated(int scale, vertex root_from) {
  const auto job = onehop::join("self");
  auto list = generate(job, scale, 16, 2);
  vertex root = root_from;
  while (std::ranges::none_of(list.edges, [&](const edge& e) {
    return e.from != e.to && (e.from == root || e.to == root);
  }))
    ++root;
  return {"generated", list.vertices, std::move(list.edges), root};
}

/// Returns the edges that a rank gives: every size-th edge of the list, so that its edges are
/// unrelated to its block of vertices.
inline std::vector<edge> share(const onehop::context& job, const std::vector<edge>& all) {
  std::vector<edge> mine;
  for (std::size_t k = static_cast<std::size_t>(job.rank()); k < all.size();
       k += static_cast<std::size_t>(job.size()))
    mine.push_back(all[k]);
  return mine;
}

}  // namespace graph_search
