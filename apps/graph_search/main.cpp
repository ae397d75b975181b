// graph_search SCALE [EDGEFACTOR [ROOTS [SEED [VARIANT]]]] searches a Kronecker graph and prints
// one line for each search. It runs by itself, under `onehop run -n N --` and under mpirun.
#include "benchmark.hpp"

#include <onehop/context.hpp>

#include <charconv>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("'" + std::string(text) + "' is not a number of the right kind");
  return value;
}

std::uint64_t breaks_of(const graph_search::verdict& checked) {
  std::uint64_t all = 0;
  for (const std::uint64_t breaks : checked.breaks) all += breaks;
  return all;
}

/// Returns how many rules were broken.
std::uint64_t run(const onehop::context& job, const std::vector<std::string_view>& words) {
  if (words.empty() || words.size() > 5)
    throw std::invalid_argument(
        "1 to 5 words are needed: SCALE [EDGEFACTOR [ROOTS [SEED [VARIANT]]]]");
  const int factor = words.size() > 1 ? number<int>(words[1]) : 16;
  const int roots = words.size() > 2 ? number<int>(words[2]) : 64;
  const auto seed = words.size() > 3 ? number<std::uint64_t>(words[3]) : 1;
  const std::string_view how = words.size() > 4 ? words[4] : "direction-optimising";
  graph_search::benchmark graph(job,
                                graph_search::generate(job, number<int>(words[0]), factor, seed),
                                graph_search::variant_named(how));
  std::uint64_t broken = 0;
  for (const graph_search::vertex root : graph.roots(roots, seed)) {
    const auto found = graph.run(root);
    broken += breaks_of(found.checked);
    if (job.rank() == 0)
      std::printf("%u %zu levels %llu edges %.6e s %.4e TEPS\n", root, found.levels.size(),
                  static_cast<unsigned long long>(found.checked.edges), found.time_s,
                  static_cast<double>(found.checked.edges) / found.time_s);
  }
  return broken;
}

}  // namespace

int main(int count, char** words) {
  try {
    const onehop::context job = onehop::join();
    try {
      return run(job, {words + 1, words + count}) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
      job.abandon(error.what());
      throw;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graph_search: %s\n", error.what());
    return 2;
  }
}
