// spin_glass X Y Z BETA [SWEEPS [OVERRELAXATIONS [SEED]]] prints energies of a Gaussian spin glass,
// sweep by sweep. It runs by itself, under `onehop run -n N --` and under mpirun.
#include "simulation.hpp"

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

void run(const onehop::context& job, const std::vector<std::string_view>& words) {
  if (words.size() < 4 || words.size() > 7)
    throw std::invalid_argument(
        "4 to 7 words are needed: X Y Z BETA [SWEEPS [OVERRELAXATIONS [SEED]]]");
  const onehop::cartesian ranks(
      job, {number<int>(words[0]), number<int>(words[1]), number<int>(words[2])});
  const auto beta = number<double>(words[3]);
  const int sweeps = words.size() > 4 ? number<int>(words[4]) : 10;
  const int overrelaxations = words.size() > 5 ? number<int>(words[5]) : 10;
  const auto seed = words.size() > 6 ? number<std::uint64_t>(words[6]) : 1;
  const auto glass = spin_glass::make_simulation(ranks, {.seed = seed});
  const auto sites = static_cast<double>(onehop::volume(ranks.extents()));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const auto energies = glass->sweep({&beta, 1}, overrelaxations).front();
    if (job.rank() == 0)
      std::printf("%d %.10f\n", sweep + 1, energies.after_overrelaxation / sites);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const onehop::context job = onehop::join();
    try {
      run(job, {words + 1, words + count});
    } catch (const std::exception& error) {
      job.abandon(error.what());
      throw;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spin_glass: %s\n", error.what());
    return 2;
  }
  return 0;
}
