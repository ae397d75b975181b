#pragma once
/// Vertices and edges, as numbers.

#include <cstdint>

namespace graph_search {

using vertex = std::uint32_t;
/// Is no vertex of any graph: the parent of a vertex that a search has not reached.
inline constexpr vertex no_vertex = 0xffffffff;

struct edge {
  vertex from, to;
  bool operator==(const edge&) const = default;
};

}  // namespace graph_search
