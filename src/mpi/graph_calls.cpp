// The functions of the ABI for communicators with a graph topology.

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "mpi/blocks.hpp"
#include "mpi/errors.hpp"
#include "mpi/split.hpp"

namespace onehop::mpi_abi {
namespace {

const graph_topology& graph_of(MPI_Comm handle, bool distributed) {
  const communicator_ptr& comm = communicator_of(handle);
  if (!comm->graph || comm->graph->distributed != distributed)
    throw mpi_error(err_topology, distributed ? "the communicator has no distributed graph"
                                              : "the communicator has no graph");
  return *comm->graph;
}

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are passed in place of an array.
bool are_weights(const int* weights) { return reinterpret_cast<std::uintptr_t>(weights) > 11; }

std::vector<int> listed(int count, const int* first) {
  if (count < 0) throw mpi_error(err_arg, text("the number of neighbours is ", count));
  require_list(first, count);
  return count == 0 ? std::vector<int>() : std::vector<int>(first, first + count);
}
std::vector<int> checked_ranks(const communicator& comm, std::vector<int> ranks) {
  for (const int rank : ranks) require_peer(comm, rank);
  return ranks;
}
std::vector<int> weights_of(int count, const int* first) {
  return are_weights(first) ? listed(count, first)
                            : std::vector<int>(static_cast<std::size_t>(std::max(count, 0)), 1);
}

MPI_Comm with_graph(const communicator_ptr& parent, graph_topology graph) {
  const MPI_Comm made = make_communicator(parent, parent->members());
  communicator_of(made)->graph = std::make_shared<graph_topology>(std::move(graph));
  return made;
}

struct edge {
  int from, to, weight;
};

/// Gives every rank the edges of all ranks, ordered by the rank that specified them.
std::vector<edge> gather_edges(const communicator_ptr& comm, const std::vector<edge>& mine) {
  const auto size = static_cast<std::size_t>(comm->size());
  std::vector<MPI_Count> counts(size), places(size);
  counts[static_cast<std::size_t>(comm->rank())] = std::ssize(mine) * MPI_Count{sizeof(edge)};
  all_gather(comm, std::as_writable_bytes(std::span(counts)), sizeof(MPI_Count));
  MPI_Count all = 0;
  for (std::size_t rank = 0; rank < size; ++rank)
    places[rank] = std::exchange(all, all + counts[rank]);
  std::vector<edge> edges(static_cast<std::size_t>(all) / sizeof(edge) + 1);
  const auto byte = fixed<MPI_Datatype>(0x247);
  const edge none{};
  const edge* const first = mine.empty() ? &none : mine.data();
  all_gather(comm, kept(first, counts[static_cast<std::size_t>(comm->rank())], byte),
             block_list(edges.data(), std::span<const MPI_Count>(counts), places.data(), byte));
  edges.pop_back();
  return edges;
}

graph_topology graph_from(const std::vector<edge>& edges, int rank) {
  graph_topology graph;
  for (const edge& one : edges) {
    if (one.to == rank) {
      graph.from.push_back(one.from);
      graph.from_weights.push_back(one.weight);
    }
    if (one.from == rank) {
      graph.to.push_back(one.to);
      graph.to_weights.push_back(one.weight);
    }
  }
  return graph;
}

std::vector<int> neighbours_in(const graph_topology& graph, int rank) {
  const auto end = static_cast<std::size_t>(rank);
  const int first = rank == 0 ? 0 : graph.index[end - 1];
  return {graph.edges.begin() + first, graph.edges.begin() + graph.index[end]};
}

void give(const std::vector<int>& what, int most, int* to) {
  std::copy_n(what.begin(), std::min<std::ptrdiff_t>(std::max(most, 0), std::ssize(what)), to);
}

MPI_Comm make_graph(MPI_Comm handle, int nodes, const int* index, const int* edges) {
  const communicator_ptr& parent = one_group_of(handle);
  if (nodes < 0 || nodes > parent->size())
    throw mpi_error(err_arg, text("a graph of ", nodes, " nodes does not fit a communicator of ",
                                  parent->size()));
  const bool is_in = parent->rank() < nodes;
  const MPI_Comm made = split(parent, {is_in ? 0 : undefined, 0});
  if (!is_in) return made;
  graph_topology graph{.distributed = false, .index = listed(nodes, index)};
  graph.edges = listed(nodes == 0 ? 0 : index[nodes - 1], edges);
  const communicator_ptr& comm = communicator_of(made);
  graph.from = graph.to = checked_ranks(*comm, neighbours_in(graph, comm->rank()));
  comm->graph = std::make_shared<graph_topology>(std::move(graph));
  return made;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int in, const int* from,
                                   const int* from_weights, int out, const int* to,
                                   const int* to_weights, MPI_Info hints, int, MPI_Comm* made) {
  return guarded(handle,
                 {__func__, hints, list_of{from, in}, list_of{from_weights, in}, list_of{to, out},
                  list_of{to_weights, out}, made},
                 [&] {
                   const communicator_ptr& comm = one_group_of(handle);
                   const auto none = reinterpret_cast<const int*>(10);
                   *made = with_graph(comm, {.weighted = from_weights != none || to_weights != none,
                                             .from = checked_ranks(*comm, listed(in, from)),
                                             .from_weights = weights_of(in, from_weights),
                                             .to = checked_ranks(*comm, listed(out, to)),
                                             .to_weights = weights_of(out, to_weights)});
                 });
}

int MPI_Dist_graph_create(MPI_Comm handle, int count, const int* from, const int* degrees,
                          const int* to, const int* weights, MPI_Info hints, int, MPI_Comm* made) {
  return guarded(handle,
                 {__func__, hints, list_of{from, count}, list_of{degrees, count},
                  list_of{weights, count}, made},
                 [&] {
                   const communicator_ptr& comm = one_group_of(handle);
                   std::vector<edge> mine;
                   for (const int rank : checked_ranks(*comm, listed(count, from)))
                     for (int i = *degrees++; i > 0; --i) {
                       require_list(to, i);
                       require_peer(*comm, *to);
                       mine.push_back({rank, *to++, are_weights(weights) ? *weights++ : 1});
                     }
                   graph_topology graph = graph_from(gather_edges(comm, mine), comm->rank());
                   graph.weighted = reinterpret_cast<std::uintptr_t>(weights) != 10;
                   *made = with_graph(comm, std::move(graph));
                 });
}

int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int* in, int* out, int* weighted) {
  return guarded(handle, {__func__, in, out, weighted}, [&] {
    const graph_topology& graph = graph_of(handle, true);
    *in = static_cast<int>(graph.from.size());
    *out = static_cast<int>(graph.to.size());
    *weighted = static_cast<int>(graph.weighted);
  });
}

int MPI_Dist_graph_neighbors(MPI_Comm handle, int in, int* from, int* from_weights, int out,
                             int* to, int* to_weights) {
  return guarded(handle,
                 {__func__, list_of{from, in}, list_of{from_weights, in}, list_of{to, out},
                  list_of{to_weights, out}},
                 [&] {
                   const graph_topology& graph = graph_of(handle, true);
                   give(graph.from, in, from);
                   give(graph.to, out, to);
                   if (graph.weighted && are_weights(from_weights))
                     give(graph.from_weights, in, from_weights);
                   if (graph.weighted && are_weights(to_weights))
                     give(graph.to_weights, out, to_weights);
                 });
}

int MPI_Graph_create(MPI_Comm handle, int nodes, const int* index, const int* edges, int,
                     MPI_Comm* made) {
  return guarded(handle, {__func__, list_of{index, nodes}, made},
                 [&] { *made = make_graph(handle, nodes, index, edges); });
}

int MPI_Graphdims_get(MPI_Comm handle, int* nodes, int* edges) {
  return guarded(handle, {__func__, nodes, edges}, [&] {
    *nodes = static_cast<int>(graph_of(handle, false).index.size());
    *edges = static_cast<int>(graph_of(handle, false).edges.size());
  });
}

int MPI_Graph_get(MPI_Comm handle, int nodes, int most, int* index, int* edges) {
  return guarded(handle, {__func__, list_of{index, nodes}, list_of{edges, most}}, [&] {
    give(graph_of(handle, false).index, nodes, index);
    give(graph_of(handle, false).edges, most, edges);
  });
}

int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int* count) {
  return guarded(handle, {__func__, count}, [&] {
    require_rank(*communicator_of(handle), rank);
    *count = static_cast<int>(neighbours_in(graph_of(handle, false), rank).size());
  });
}

int MPI_Graph_neighbors(MPI_Comm handle, int rank, int most, int* neighbours) {
  return guarded(handle, {__func__, list_of{neighbours, most}}, [&] {
    require_rank(*communicator_of(handle), rank);
    give(neighbours_in(graph_of(handle, false), rank), most, neighbours);
  });
}

int MPI_Graph_map(MPI_Comm handle, int nodes, const int* index, const int*, int* rank) {
  return guarded(handle, {__func__, list_of{index, nodes}, rank}, [&] {
    const int mine = communicator_of(handle)->rank();
    *rank = mine < nodes ? mine : undefined;
  });
}
}
