#pragma once
/// These functions return what the steps of a search cost on a virtual machine, which counts only
/// reads and writes of memory.

#include <onehop/kernel_cost.hpp>

#include <cstdint>

namespace graph_search {

/// Each edge is read, and its arcs in both directions are sorted twice, then written once more.
inline onehop::kernel_cost construction_work(std::uint64_t edges, std::uint64_t arcs) {
  return {.bytes = 8.0 * static_cast<double>(edges) + 40.0 * static_cast<double>(arcs)};
}

/// A vertex of the last level, or one that looks for a parent, reads the two ends of its row and
/// four bytes of a bitmap. Each of its edges reads the number of a neighbour and four bytes of the
/// bitmap that contains it.
inline onehop::kernel_cost scanning_work(std::uint64_t vertices, std::uint64_t edges) {
  return {.bytes = 12.0 * static_cast<double>(vertices) + 8.0 * static_cast<double>(edges)};
}

/// For each vertex that a rank is told, its message is read, and bitmap and parent are written.
inline onehop::kernel_cost taking_work(std::uint64_t told) {
  return {.bytes = 16.0 * static_cast<double>(told)};
}

}  // namespace graph_search
