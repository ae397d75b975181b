#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <graph_search/benchmark.hpp>
#include <graph_search/kronecker.hpp>
#include <onehop/error.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bind_apps.hpp"
#include "owned_array.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using edge_array = nb::ndarray<nb::numpy, std::uint32_t, nb::shape<-1, 2>, nb::c_contig>;
using read_edges =
    nb::ndarray<nb::ro, std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using tree_array = nb::ndarray<nb::numpy, std::int32_t, nb::shape<-1, 2>, nb::c_contig>;

}  // namespace

// This namespace separates the bindings of several applications, which may be compiled together.
namespace graph_search {
namespace {

edge_array kronecker_edges(const onehop::context& job, int scale, int edge_factor,
                           std::uint64_t seed) {
  return owned_array<edge_array>(
      without_gil([&] { return generate(job, scale, edge_factor, seed).edges; }));
}

std::unique_ptr<benchmark> make_graph_search(const onehop::context& job, std::uint64_t vertices,
                                             const read_edges& edges, const std::string& variant,
                                             int rows) {
  const nb::gil_scoped_release released;
  edge_list input{vertices, std::vector<edge>(edges.shape(0))};
  std::memcpy(input.edges.data(), edges.data(), input.edges.size() * sizeof(edge));
  return std::make_unique<benchmark>(job, std::move(input), variant_named(variant), rows);
}

/// Returns the tree as signed numbers: no_vertex has the bits of -1.
tree_array tree_of(const benchmark& graph) {
  const auto tree = graph.tree();
  return owned_array<tree_array>(std::vector<tree_vertex>(tree.begin(), tree.end()));
}

void bind_reports(nb::module_& m) {
  nb::class_<level_facts>(m, "SearchLevel", "One level of a search, over all ranks.")
      .def_ro("vertices", &level_facts::vertices)
      .def_ro("edges", &level_facts::edges, "Number of edges of its vertices.")
      .def_ro("told", &level_facts::told, "Number of vertices that ranks told each other of.")
      .def_ro("bottom_up", &level_facts::bottom_up, "True if the next level was found bottom up.");
  nb::class_<search_report>(m, "SearchReport", "A search and the result of its validation.")
      .def_ro("root", &search_report::root)
      .def_ro("time_s", &search_report::time_s, "Time of the slowest rank.")
      .def_prop_ro(
          "edges", [](const search_report& self) { return self.checked.edges; },
          "Number of input edges in the root's component.")
      .def_prop_ro(
          "rule_breaks",
          [](const search_report& self) {
            return std::vector(self.checked.breaks.begin(), self.checked.breaks.end());
          },
          "Violations of each of the five rules.")
      .def_ro("levels", &search_report::levels);
}

}  // namespace
}  // namespace graph_search

void bind_graph_search(nb::module_& m) {
  using namespace graph_search;
  bind_reports(m);
  nb::class_<benchmark>(m, "GraphSearch", "A graph and its searches (apps/graph_search).")
      .def_prop_ro("construction_s", &benchmark::construction_s, "Time of the slowest rank.")
      .def("roots", &benchmark::roots, "most"_a, "seed"_a, release_gil(),
           "Returns different vertices that have neighbours. Collective.")
      .def("run", &benchmark::run, "root"_a, release_gil(), "Searches and validates. Collective.")
      .def("tree", &tree_of,
           "Returns parent and level of every vertex in the last search, -1 for vertices not "
           "reached.");
  m.def("kronecker_edges", &kronecker_edges, "context"_a, "scale"_a, "edge_factor"_a, "seed"_a,
        "Returns this rank's part of the edges of a Graph500 graph, as an array (edges, 2).");
  m.def("make_graph_search", &make_graph_search, "context"_a, "vertices"_a, "edges"_a, "variant"_a,
        "rows"_a,
        "Constructs a graph on ranks in rows and columns; each rank gives part of the edges. "
        "Collective.");
}
