#pragma once
/// What the steps of a search cost a virtual machine: all of it is reading and writing memory.

#include <onehop/kernel_cost.hpp>

#include <cstdint>

namespace graph_search {

/// Edges are read, and both directions of each are sorted twice, then written once more.
inline onehop::kernel_cost construction_work(std::uint64_t edges, std::uint64_t arcs) {
  return {.bytes = 8.0 * static_cast<double>(edges) + 40.0 * static_cast<double>(arcs)};
}

/// A vertex of the last level, or one that looks for a parent, has its row's two ends and four
/// bytes of its bitmap; an edge of it the number of a neighbour and the word of the bitmap with
/// that.
inline onehop::kernel_cost scanning_work(std::uint64_t vertices, std::uint64_t edges) {
  return {.bytes = 12.0 * static_cast<double>(vertices) + 8.0 * static_cast<double>(edges)};
}

/// Of each vertex told of the message is read, and bitmap and parent are written.
inline onehop::kernel_cost taking_work(std::uint64_t told) {
  return {.bytes = 16.0 * static_cast<double>(told)};
}

}  // namespace graph_search
