#include "synapse_table.hpp"

#include <onehop/error.hpp>

#include <limits>

namespace spiking_network {

/// Calls take(row, synapse, source) for the synapses that end at this rank.
template <class Take>
void synapse_table::for_each(const sheet& columns, const Take& take) const {
  const std::uint32_t each = columns.settings().synapses;
  for (std::uint32_t source = 0; source < columns.sources(); ++source) {
    const neuron from = columns.source_at(source);
    for (std::uint32_t number = 0; number < each; ++number) {
      const synapse made = columns.synapses().at(from, number);
      if (columns.is_own(made.target))
        take(std::size_t{source} * delays_ + made.delay - 1, made, from);
    }
  }
}

/// Synapses are first counted by source and delay, then drawn again and put in their places.
synapse_table::synapse_table(const sheet& columns)
    : delays_(columns.settings().delay_ms), begins_(columns.sources() * delays_ + 1) {
  std::uint64_t count = 0;
  for_each(columns, [&](std::size_t row, const synapse&, neuron) { ++begins_[row], ++count; });
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw onehop::resource_error(
        std::to_string(count) +
        " synapses end at one rank, and 4294967295 are possible; take more "
        "ranks");
  std::uint32_t begin = 0;
  for (std::uint32_t& row : begins_) {
    const std::uint32_t in_row = row;
    row = begin;
    begin += in_row;
  }
  targets_.resize(count), weights_.resize(count);
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  const network_settings& how = columns.settings();
  for_each(columns, [&](std::size_t row, const synapse& made, neuron from) {
    const std::uint32_t place = next[row]++;
    targets_[place] = columns.local(made.target);
    weights_[place] = how.is_excitatory(from) ? how.excitation : -how.inhibition;
  });
}

}  // namespace spiking_network
