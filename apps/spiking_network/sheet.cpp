#include "sheet.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <set>

namespace spiking_network {
namespace {

std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& columns, std::uint32_t all) {
  std::vector<std::uint32_t> places(all);
  for (std::uint32_t place = 0; place < columns.size(); ++place) places[columns[place]] = place;
  return places;
}

}  // namespace

sheet::sheet(const onehop::cartesian& ranks, const wiring& synapses)
    : ranks_(ranks), wiring_(synapses) {
  const auto& extents = ranks.extents();
  if (extents != onehop::coordinate{static_cast<int>(settings().columns_x),
                                    static_cast<int>(settings().columns_y), 1, 1})
    throw onehop::usage_error("ranks with " + onehop::to_string(extents) + " columns, and " +
                              std::to_string(settings().columns_x) + "x" +
                              std::to_string(settings().columns_y) + " of the network");
  for (int y = 0; y < ranks.local()[1]; ++y)
    for (int x = 0; x < ranks.local()[0]; ++x)
      own_.push_back(static_cast<std::uint32_t>(ranks.origin()[0] + x) +
                     static_cast<std::uint32_t>(ranks.origin()[1] + y) * settings().columns_x);
  std::set<std::uint32_t> heard;
  std::set<int> peers;
  for (const std::uint32_t column : own_)
    for (const std::uint32_t around : wiring_.columns_around(column)) {
      heard.insert(around);
      if (owner(around) != ranks.context().rank()) peers.insert(owner(around));
    }
  heard_.assign(heard.begin(), heard.end());
  peers_.assign(peers.begin(), peers.end());
  own_place_ = places_of(own_, settings().columns());
  heard_place_ = places_of(heard_, settings().columns());
}

int sheet::owner(std::uint32_t column) const noexcept {
  return ranks_.rank_at(
      {part_of(0, column % settings().columns_x), part_of(1, column / settings().columns_x), 0, 0});
}

/// If the number of ranks in a dimension does not divide the grid, the first ranks have one column
/// more.
int sheet::part_of(int mu, std::uint32_t at) const noexcept {
  const auto m = static_cast<std::size_t>(mu);
  const int extent = ranks_.extents()[m], parts = ranks_.grid()[m], place = static_cast<int>(at);
  const int less = extent / parts, longer = extent % parts;
  if (place < longer * (less + 1)) return place / (less + 1);
  return longer + (place - longer * (less + 1)) / less;
}

}  // namespace spiking_network
