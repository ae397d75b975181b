#include "graph.hpp"

#include "work.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace graph_search {
namespace {

void require_vertices(const onehop::context& job, const partition& parts,
                      std::span<const edge> edges) {
  onehop::together(job, [&] {
    for (const edge& e : edges)
      if (std::max(e.from, e.to) >= parts.vertices())
        throw onehop::usage_error(
            "the edge from " + std::to_string(e.from) + " to " + std::to_string(e.to) +
            " leaves the graph, which has vertices 0 to " + std::to_string(parts.vertices() - 1));
  });
}

/// Returns where the arcs of each key from 0 to count - 1 begin once they are sorted, followed by
/// the number of arcs.
template <class Key>
std::vector<std::uint32_t> places_by(std::span<const edge> arcs, std::size_t count,
                                     const Key& key) {
  std::vector<std::uint32_t> places(count + 1);
  for (const edge& arc : arcs) ++places[key(arc) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  return places;
}

}  // namespace

graph::graph(const rank_grid& ranks, const partition& parts, std::span<const edge> edges)
    : ranks_(ranks),
      parts_(parts),
      degrees_(parts.block()),
      begins_(parts.sources() / 64),
      connected_(parts.block_words()) {
  require_vertices(job(), parts, edges);
  auto arcs = arcs_of_own(edges);
  job().work(construction_work(edges.size(), arcs.size()));
  make_rows(std::move(arcs));
  drop_repeated();
  count_neighbours();
}

/// Returns the arcs from this rank's sources to its targets, with the number of the source in
/// `from`; every edge makes two arcs, one in each direction. They travel in several parts, so that
/// the messages need little memory.
std::vector<edge> graph::arcs_of_own(std::span<const edge> edges) const {
  constexpr std::size_t part = std::size_t{1} << 17U;
  std::vector<std::vector<edge>> lists(static_cast<std::size_t>(job().size()));
  std::vector<edge> arcs;
  // On average a rank receives as many arcs as it sends, two for each edge.
  arcs.reserve(edges.size() * 9 / 4);
  std::uint64_t parts_left = (edges.size() + part - 1) / part;
  onehop::allreduce(job(), std::span(&parts_left, 1), onehop::reduction::max);
  for (std::size_t begin = 0; parts_left > 0; --parts_left, begin += part) {
    const std::size_t at = std::min(begin, edges.size());
    for (auto& list : lists) list.clear();
    for (const edge& e : edges.subspan(at, std::min(part, edges.size() - at))) {
      if (e.from == e.to) continue;
      for (const edge& arc : {e, edge{e.to, e.from}})
        lists[static_cast<std::size_t>(parts_.owner(arc))].push_back(arc);
    }
    const std::vector<std::span<const edge>> send(lists.begin(), lists.end());
    for (const auto& came : onehop::alltoallv<edge>(job(), send))
      for (const edge& arc : came) arcs.push_back({parts_.source(arc.from), arc.to});
  }
  onehop::together(job(), [&] {
    if (arcs.size() > 0xffffffff)
      throw onehop::usage_error("a rank has " + std::to_string(arcs.size()) +
                                " edges of its vertices, and less than 2^32 are possible; take "
                                "more ranks");
  });
  return arcs;
}

/// Sorts by counting, first by neighbours, then by rows, so that each row is ascending.
void graph::make_rows(std::vector<edge> arcs) {
  std::vector<edge> by_neighbour(arcs.size());
  {
    const vertex first = parts_.first_target(parts_.row(job().rank()));
    auto places =
        places_by(arcs, parts_.targets(), [first](const edge& arc) { return arc.to - first; });
    for (const edge& arc : arcs) by_neighbour[places[arc.to - first]++] = arc;
  }
  rows_ = places_by(arcs, parts_.sources(), [](const edge& arc) { return arc.from; });
  arcs = {};
  neighbours_.resize(by_neighbour.size());
  auto places = rows_;
  for (const edge& arc : by_neighbour) neighbours_[places[arc.from]++] = arc.to;
}

void graph::drop_repeated() {
  std::uint32_t kept = 0, begin = 0;
  for (std::size_t source = 0; source < parts_.sources(); ++source) {
    const std::uint32_t end = rows_[source + 1];
    for (std::uint32_t k = begin; k < end; ++k)
      if (k == begin || neighbours_[k] != neighbours_[kept - 1])
        neighbours_[kept++] = neighbours_[k];
    rows_[source + 1] = kept;
    begin = end;
  }
  neighbours_.resize(kept);
  neighbours_.shrink_to_fit();
}

/// The ranks of a column have parts of the rows of the same sources. The vertices of all these
/// ranks are among the sources.
void graph::count_neighbours() {
  std::vector<vertex> here(parts_.sources());
  for (vertex source = 0; source < here.size(); ++source) {
    here[source] = rows_[source + 1] - rows_[source];
    if (here[source] > 0) begins_.add(source);
  }
  onehop::reduce_scatter(ranks_.column(), std::span<const vertex>(here), std::span(degrees_));
  for (vertex local = 0; local < count(); ++local)
    if (degree(local) > 0) connected_.add(local);
}

}  // namespace graph_search
