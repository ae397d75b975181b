#include "benchmark.hpp"

#include "kronecker.hpp"
#include "random_uses.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <chrono>
#include <set>

namespace graph_search {

edge_list generate(const onehop::context& job, int scale, int edge_factor, std::uint64_t seed) {
  constexpr int most = 1 << 20;
  if (edge_factor < 1 || edge_factor > most)
    throw onehop::usage_error(std::to_string(edge_factor) + " edges for each vertex; 1 to " +
                              std::to_string(most) + " are possible");
  const kronecker generator(scale, seed);
  const auto rank = static_cast<std::uint64_t>(job.rank()),
             ranks = static_cast<std::uint64_t>(job.size()),
             all = generator.vertices() * static_cast<std::uint64_t>(edge_factor);
  const auto begin_of = [&](std::uint64_t r) { return all / ranks * r + all % ranks * r / ranks; };
  edge_list made{generator.vertices(), {}};
  made.edges.resize(begin_of(rank + 1) - begin_of(rank));
  generator.fill(begin_of(rank), made.edges);
  return made;
}

benchmark::benchmark(const onehop::context& job, edge_list input, variant how, int rows)
    : job_(job),
      ranks_(job, rows),
      input_(std::move(input)),
      parts_(input_.vertices, ranks_.columns(), ranks_.rows()) {
  if (input_.vertices == 0 || input_.vertices > std::uint64_t{1} << 31U)
    throw onehop::usage_error("a graph of " + std::to_string(input_.vertices) +
                              " vertices; 1 to 2^31 are possible");
  construction_s_ =
      slowest([&] { graph_ = std::make_unique<graph>(ranks_, parts_, input_.edges); });
  search_ = std::make_unique<search>(*graph_, how);
}

/// Starts the work on all ranks at the same time and returns the time of the slowest rank.
template <class Work>
double benchmark::slowest(const Work& work) const {
  onehop::barrier(job_);
  const auto begin = job_.now();
  work();
  double time_s = std::chrono::duration<double>(job_.now() - begin).count();
  onehop::allreduce_max(job_, std::span(&time_s, 1));
  return time_s;
}

std::vector<vertex> benchmark::roots(int most, std::uint64_t seed) const {
  vertex_set connected(parts_.block_words() * static_cast<std::size_t>(job_.size()));
  onehop::allgather(job_, std::as_bytes(graph_->connected().words()),
                    std::as_writable_bytes(connected.words()));
  std::vector<vertex> found;
  const std::uint64_t there_are = connected.size();
  if (there_are <= static_cast<std::uint64_t>(most)) {
    for_each(connected.words(), [&](vertex v) { found.push_back(v); });
    return found;
  }
  std::set<vertex> drawn;
  for (std::uint64_t draw = 0; found.size() < static_cast<std::size_t>(most); ++draw) {
    const std::uint64_t word = random_words(seed, random_roots, draw, 0)[0];
    const auto v = static_cast<vertex>(word * parts_.vertices() >> 32U);
    if (connected.has(v) && drawn.insert(v).second) found.push_back(v);
  }
  return found;
}

search_report benchmark::run(vertex root) {
  search_report made{root, 0, {}, {}};
  made.time_s = slowest([&] { made.levels = search_->run(root); });
  tree_ = gather_tree(job_, parts_, search_->parents(), search_->levels());
  made.checked = validate(job_, parts_, root, tree_, input_.edges);
  return made;
}

}  // namespace graph_search
