// Each rule of validation is broken by a tree that keeps the others.
#include "slow_search.hpp"

#include <graph_search/validation.hpp>

#include <boost/test/unit_test.hpp>
#include <functional>

using namespace graph_search;

namespace {

/// Returns the verdict of 1, 2 and 3 ranks, which must be the same.
verdict verdict_of(const small_graph& of, const std::vector<tree_vertex>& tree) {
  verdict first;
  for (const int ranks : {1, 2, 3})
    onehop::run_on_threads(ranks, [&](const onehop::context& job) {
      const auto edges = share(job, of.edges);
      const verdict found = validate(job, partition(of.vertices, ranks), of.root, tree, edges);
      if (ranks == 1) first = found;
      expect(found.breaks == first.breaks && found.edges == first.edges);
    });
  return first;
}

using change = std::function<void(std::vector<tree_vertex>&)>;
rule_breaks breaks_of(const small_graph& of, const change& damage) {
  auto tree = slow_search(of);
  damage(tree);
  return verdict_of(of, tree).breaks;
}

/// Returns the number of breaks of this rule in a tree that breaks no other rule.
rule_breaks only(rule broken, std::uint64_t times = 1) {
  rule_breaks made{};
  made[static_cast<std::size_t>(broken)] = times;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(right_trees_keep_all_rules_and_their_edges_are_counted) {
  for (const small_graph& of : {path(70), star(300, 128, 5), pieces(), grid(17, 11)}) {
    const verdict found = verdict_of(of, slow_search(of));
    BOOST_TEST((found.breaks == rule_breaks{}), of.name);
    // The root of `pieces` lies in a triangle with a loop, whose four edges are given three times.
    BOOST_TEST(found.edges == (of.name == "pieces" ? 12 : of.edges.size()), of.name);
  }
}

// Vertices 68 and 69 of a path become parents of each other.
BOOST_AUTO_TEST_CASE(parents_in_a_cycle_are_found) {
  const auto found = breaks_of(path(70), [](auto& tree) { tree[68].parent = 69; });
  BOOST_TEST(found[static_cast<std::size_t>(rule::no_cycle)] == 2);
  const auto from = breaks_of(path(70), [](auto& tree) { tree[30].parent = 31; });
  BOOST_TEST(from[static_cast<std::size_t>(rule::no_cycle)] == 40);
}

BOOST_AUTO_TEST_CASE(parents_that_lead_elsewhere_are_found) {
  const auto beyond = breaks_of(path(70), [](auto& tree) { tree[69].parent = 1000; });
  BOOST_TEST(beyond[static_cast<std::size_t>(rule::no_cycle)] == 1);
  const auto another = breaks_of(path(70), [](auto& tree) { tree[69].parent = 69; });
  BOOST_TEST(another[static_cast<std::size_t>(rule::no_cycle)] == 1);
  const auto rootless = breaks_of(path(70), [](auto& tree) { tree[0].parent = 1; });
  BOOST_TEST(rootless[static_cast<std::size_t>(rule::no_cycle)] == 70);
}

BOOST_AUTO_TEST_CASE(tree_edges_within_a_level_are_found) {
  BOOST_TEST(
      (breaks_of(path(70), [](auto& tree) { tree[69].level = 68; }) == only(rule::tree_levels)));
  // First a vertex that was not reached gets a level, then the root gets a level other than 0.
  BOOST_TEST(
      (breaks_of(pieces(), [](auto& tree) { tree[50].level = 3; }) == only(rule::tree_levels)));
  BOOST_TEST(
      (breaks_of(path(1), [](auto& tree) { tree[0].level = 1; }) == only(rule::tree_levels)));
}

// The tree goes once around a ring in one direction; the edge that closes the ring joins the levels
// 0 and 5.
BOOST_AUTO_TEST_CASE(edges_across_levels_are_found) {
  small_graph ring = path(6);
  ring.edges.push_back({5, 0});
  const auto found = breaks_of(ring, [](auto& tree) {
    for (vertex v = 1; v < 6; ++v) tree[v] = {v - 1, static_cast<std::int32_t>(v)};
  });
  BOOST_TEST((found == only(rule::edge_levels)));
}

BOOST_AUTO_TEST_CASE(vertices_that_were_left_out_are_found) {
  BOOST_TEST(
      (breaks_of(path(70), [](auto& tree) { tree[69] = {}; }) == only(rule::whole_component)));
  BOOST_TEST((breaks_of(path(1), [](auto& tree) {
                tree[0].parent = no_vertex;
              })[static_cast<std::size_t>(rule::whole_component)] == 1));
}

// Vertex 3 is a neighbour of 1 alone; vertex 2, which is given as its parent, is in the level of 1.
BOOST_AUTO_TEST_CASE(parents_that_are_no_neighbours_are_found) {
  const small_graph of{"tree", 200, {{0, 1}, {0, 2}, {3, 1}}, 0};
  BOOST_TEST(
      (breaks_of(of, [](auto& tree) { tree[3].parent = 2; }) == only(rule::tree_edges_exist)));
}
