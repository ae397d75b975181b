#pragma once
/// Vertices are numbers, and edges are pairs of them.

#include <cstdint>

namespace graph_search {

using vertex = std::uint32_t;
/// This number is no vertex of any graph. It is the parent of a vertex that a search has not
/// reached.
inline constexpr vertex no_vertex = 0xffffffff;

struct edge {
  vertex from, to;
  bool operator==(const edge&) const = default;
};

}  // namespace graph_search
