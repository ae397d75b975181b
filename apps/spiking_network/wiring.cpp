#include "wiring.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace spiking_network {
namespace {

void require(bool fulfilled, const std::string& what) {
  if (!fulfilled) throw onehop::usage_error(what);
}

/// Each entry is equally likely, so that distances 1, 2 and 3 have the ratio 3 to 2 to 1.
constexpr std::array distances{1, 1, 1, 2, 2, 3};
static_assert(distances.back() == reach);
/// The neighbours lie in these directions.
constexpr std::array<std::array<int, 2>, 4> directions{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};

}  // namespace

void check(const network_settings& how) {
  require(how.columns_x > 0 && how.columns_y > 0,
          std::to_string(how.columns_x) + "x" + std::to_string(how.columns_y) +
              " columns; a network has one column at least");
  require(how.neurons >= 5, std::to_string(how.neurons) + " neurons in a column; give 5 or more");
  require(how.synapses > 0, "0 synapses of a neuron; give 1 or more");
  const std::uint64_t columns = std::uint64_t{how.columns_x} * how.columns_y;
  require(columns < (std::uint64_t{1} << 32U) / how.neurons,
          std::to_string(columns) + " columns of " + std::to_string(how.neurons) +
              " neurons; fewer than 2^32 neurons in all are possible");
  require(how.delay_ms >= 1 && how.delay_ms <= 255,
          "a longest delay of " + std::to_string(how.delay_ms) + " ms; 1 to 255 are possible");
  require(how.local >= 0 && how.local <= 1, "the share of local synapses is from 0 to 1");
  require(
      std::isfinite(how.excitation) && std::isfinite(how.inhibition) && std::isfinite(how.stimulus),
      "weights and stimulus are finite numbers");
  require(how.stimulus_hz >= 0 && how.stimulus_hz <= 1000,
          "a neuron is stimulated 0 to 1000 times a second");
}

wiring::wiring(const network_settings& how) : how_(how) {
  check(how);
  local_words_ = static_cast<std::uint64_t>(std::llround(how.local * 0x1p32));
}

synapse wiring::at(neuron source, std::uint32_t number) const noexcept {
  const auto words = random_words(how_.seed, random_synapses, source, number);
  const std::uint32_t column = source / how_.neurons, place = source % how_.neurons;
  if (place >= how_.excitatory())
    return {column * how_.neurons + below(how_.excitatory(), words[1]), 1};
  const std::uint32_t delay = 1 + below(how_.delay_ms, words[2]);
  if (words[0] >= local_words_)
    return {drawn_column(column, words[3]) * how_.neurons + below(how_.neurons, words[1]), delay};
  const std::uint32_t other = below(how_.neurons - 1, words[1]);
  return {column * how_.neurons + other + (other >= place ? 1 : 0), delay};
}

std::uint32_t wiring::drawn_column(std::uint32_t column, std::uint32_t word) const noexcept {
  const std::uint32_t drawn = below(directions.size() * distances.size(), word);
  const auto& direction = directions[drawn / distances.size()];
  const int distance = distances[drawn % distances.size()];
  return column_at(column, direction[0] * distance, direction[1] * distance);
}

/// Returns the column x columns to the right and y above, on the periodic grid.
std::uint32_t wiring::column_at(std::uint32_t column, int x, int y) const noexcept {
  const auto around = [](std::int64_t at, std::uint32_t extent) {
    const auto rest = at % std::int64_t{extent};
    return static_cast<std::uint32_t>(rest < 0 ? rest + std::int64_t{extent} : rest);
  };
  return around(std::int64_t{column / how_.columns_x} + y, how_.columns_y) * how_.columns_x +
         around(std::int64_t{column % how_.columns_x} + x, how_.columns_x);
}

std::vector<std::uint32_t> wiring::columns_around(std::uint32_t column) const {
  std::vector<std::uint32_t> found{column};
  for (const auto& direction : directions)
    for (int distance = 1; distance <= reach; ++distance)
      found.push_back(column_at(column, direction[0] * distance, direction[1] * distance));
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace spiking_network
