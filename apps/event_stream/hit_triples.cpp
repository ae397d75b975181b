#include "hit_triples.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace event_stream {
namespace {

constexpr std::size_t lanes_of_widest = 16;

/// The steps of a linear congruential generator (Knuth's of MMIX) shuffle the triples, so that the
/// first ones include all hits.
triples_of_hits triples_in_disorder(std::uint8_t hits) {
  std::vector<std::array<std::uint8_t, 3>> all;
  for (std::uint8_t a = 0; a < hits; ++a)
    for (std::uint8_t b = a + 1; b < hits; ++b)
      for (std::uint8_t c = b + 1; c < hits; ++c) all.push_back({a, b, c});
  std::uint64_t state = hits;
  for (std::size_t left = all.size(); left > 1; --left) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(all[left - 1], all[(state >> 33U) % left]);
  }
  triples_of_hits made;
  all.resize(std::min(all.size(), triples_of_hits::most));
  while (all.size() % lanes_of_widest != 0) all.push_back(all.back());
  made.count = all.size();
  for (std::size_t corner = 0; corner < 3; ++corner)
    for (std::size_t k = 0; k < made.count; ++k) made.corners[corner][k] = all[k][corner];
  return made;
}

}  // namespace

const triples_of_hits& triples_of(std::size_t hits) {
  static const auto made = [] {
    std::array<triples_of_hits, most_hits + 1> all;
    for (std::uint8_t n = 3; n < all.size(); ++n) all[n] = triples_in_disorder(n);
    return all;
  }();
  return made[hits];
}

}  // namespace event_stream
