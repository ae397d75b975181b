#include "netsim/machine/graph_ways.hpp"

#include <algorithm>

namespace onehop::netsim {

graph_ways::graph_ways(const switch_graph& graph)
    : begin(graph.switches + 1), neighbours(2 * graph.edges.size()), found_(graph.switches) {
  for (const auto& [a, b] : graph.edges) ++begin[a + 1], ++begin[b + 1];
  for (std::uint32_t at = 0; at < graph.switches; ++at) begin[at + 1] += begin[at];
  auto next = begin;
  for (const auto& [a, b] : graph.edges) {
    neighbours[next[a]++] = b;
    neighbours[next[b]++] = a;
  }
  for (std::uint32_t at = 0; at < graph.switches; ++at)
    std::sort(neighbours.begin() + begin[at], neighbours.begin() + begin[at + 1]);
}

const std::vector<std::uint8_t>& graph_ways::distances_to(std::uint32_t goal) {
  auto& distances = found_[goal];
  if (!distances.empty()) return distances;
  if ((kept_.size() + 1) * found_.size() > most_bytes && !kept_.empty()) {
    found_[kept_.front()] = {};
    kept_.pop_front();
  }
  kept_.push_back(goal);
  distances.assign(found_.size(), unreached);
  distances[goal] = 0;
  std::vector<std::uint32_t> front = {goal};
  for (std::size_t at = 0; at < front.size(); ++at)
    for (auto k = begin[front[at]]; k < begin[front[at] + 1]; ++k)
      if (distances[neighbours[k]] == unreached) {
        distances[neighbours[k]] = static_cast<std::uint8_t>(distances[front[at]] + 1);
        front.push_back(neighbours[k]);
      }
  return distances;
}

std::uint32_t graph_ways::diameter() const {
  std::uint32_t most = 0;
  for (std::uint32_t first = 0; first < found_.size(); first += 64)
    most = std::max(most, reach(first));
  return most;
}

// Returns the largest distance from any of the 64 switches starting at `first`.
std::uint32_t graph_ways::reach(std::uint32_t first) const {
  const auto count = static_cast<std::uint32_t>(found_.size());
  const auto sources = std::min(64U, count - first);
  std::vector<std::uint64_t> seen(count), next(count);
  for (std::uint32_t k = 0; k < sources; ++k) seen[first + k] = std::uint64_t{1} << k;
  for (std::uint32_t steps = 0; steps < unreached; ++steps) {
    bool grows = false;
    for (std::uint32_t at = 0; at < count; ++at) {
      auto bits = seen[at];
      for (auto k = begin[at]; k < begin[at + 1]; ++k) bits |= seen[neighbours[k]];
      next[at] = bits;
      grows = grows || bits != seen[at];
    }
    if (!grows) {
      const auto all = sources == 64 ? UINT64_MAX : (std::uint64_t{1} << sources) - 1;
      const bool is_whole = std::ranges::all_of(seen, [&](auto bits) { return bits == all; });
      return is_whole ? steps : unreached;
    }
    seen.swap(next);
  }
  return unreached;
}

}  // namespace onehop::netsim
