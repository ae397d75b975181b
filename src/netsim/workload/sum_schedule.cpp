#include "netsim/workload/sum_schedule.hpp"

#include <bit>

namespace onehop::netsim {
namespace {

/// Among the first 2 (ranks - power) ranks, every odd one also takes its neighbour's values, so
/// that places 0 to power - 1 remain.
struct folded {
  folded(int ranks, int rank)
      : power(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs(ranks - power),
        is_paired(rank < 2 * pairs),
        place(is_paired ? rank / 2 : rank - pairs) {}

  int rank_of(int other) const { return other < pairs ? 2 * other + 1 : other + pairs; }

  int power, pairs;
  bool is_paired;
  int place;
};

/// Returns the steps of a rank; `among` gives the steps of a place.
template <class Among>
step_list fold(int ranks, int rank, std::size_t bytes, Among&& among) {
  const folded all(ranks, rank);
  if (all.is_paired && rank % 2 == 0)
    return {{rank + 1, bytes, nobody}, {nobody, 0, rank + 1, false, bytes}};
  step_list steps;
  if (all.is_paired) steps.push_back({nobody, 0, rank - 1, true, bytes});
  among(all, steps);
  if (all.is_paired) steps.push_back({rank - 1, bytes, nobody});
  return steps;
}

}  // namespace

step_list doubling_sum(int ranks, int rank, std::size_t bytes) {
  return fold(ranks, rank, bytes, [bytes](const folded& all, step_list& steps) {
    for (int distance = 1; distance < all.power; distance *= 2) {
      const int other = all.rank_of(all.place ^ distance);
      steps.push_back({other, bytes, other, true, bytes});
    }
  });
}

step_list halving_sum(int ranks, int rank, std::size_t bytes) {
  const auto parts = std::bit_floor(static_cast<unsigned>(ranks));
  // The parts are counted in numbers of eight bytes.
  if (bytes / sizeof(double) < parts) return doubling_sum(ranks, rank, bytes);
  return fold(ranks, rank, bytes, [bytes, parts](const folded& all, step_list& steps) {
    const auto size_of = [&](unsigned first, unsigned end) {
      return bytes * end / parts - bytes * first / parts;
    };
    unsigned first = 0, end = parts;
    step_list back;
    for (int distance = 1; distance < all.power; distance *= 2) {
      const int other = all.rank_of(all.place ^ distance);
      const unsigned middle = first + (end - first) / 2;
      const bool is_upper = (all.place & distance) != 0;
      const std::size_t lower = size_of(first, middle), upper = size_of(middle, end);
      const std::size_t kept = is_upper ? upper : lower, given = is_upper ? lower : upper;
      steps.push_back({other, given, other, true, kept});
      back.push_back({other, kept, other, false, given});
      (is_upper ? first : end) = middle;
    }
    steps.insert(steps.end(), back.rbegin(), back.rend());
  });
}

}  // namespace onehop::netsim
