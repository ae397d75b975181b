// graph_search SCALE [EDGEFACTOR [ROOTS [SEED [VARIANT [ROWS]]]]] searches a Kronecker graph on
// ranks that form ROWS rows, and prints one line for each search. It runs alone, under `onehop run
// -n N --` and under mpirun.
#include "benchmark.hpp"

#include <common/program.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

std::uint64_t breaks_of(const graph_search::verdict& checked) {
  std::uint64_t all = 0;
  for (const std::uint64_t breaks : checked.breaks) all += breaks;
  return all;
}

/// Returns 1 if a rule was broken.
int run(const onehop::context& job, const app_common::words& words) {
  if (words.empty() || words.size() > 6)
    throw std::invalid_argument(
        "1 to 6 words are needed: SCALE [EDGEFACTOR [ROOTS [SEED [VARIANT [ROWS]]]]]");
  const int factor = words.size() > 1 ? number<int>(words[1], 1) : 16;
  const int roots = words.size() > 2 ? number<int>(words[2], 1) : 64;
  const auto seed = words.size() > 3 ? number<std::uint64_t>(words[3]) : 1;
  const std::string_view how = words.size() > 4 ? words[4] : "direction-optimising";
  const int rows = words.size() > 5 ? number<int>(words[5], 1) : 1;
  graph_search::benchmark graph(job,
                                graph_search::generate(job, number<int>(words[0]), factor, seed),
                                graph_search::variant_named(how), rows);
  std::uint64_t broken = 0;
  for (const graph_search::vertex root : graph.roots(roots, seed)) {
    const auto found = graph.run(root);
    broken += breaks_of(found.checked);
    if (job.rank() == 0)
      std::printf("%u %zu levels %llu edges %.6e s %.4e TEPS\n", root, found.levels.size(),
                  static_cast<unsigned long long>(found.checked.edges), found.time_s,
                  static_cast<double>(found.checked.edges) / found.time_s);
  }
  return broken == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("graph_search", count, words, run);
}
