#pragma once
/// The wiring says where the synapses of a neuron end.

#include "settings.hpp"

#include <vector>

namespace spiking_network {

/// A column reaches those that lie this many columns or fewer away from it, along x or along y.
inline constexpr int reach = 3;

/// A synapse ends at the neuron `target`, at which a spike arrives `delay` steps after it was
/// fired.
struct synapse {
  neuron target;
  std::uint32_t delay;
};

/// The wiring is a function of seed, neuron and number of the synapse, so that every rank knows all
/// of it without being told.
///
/// Of an excitatory neuron's synapses the share `local` ends in its own column, at another neuron,
/// and the others in the columns 1, 2 and 3 to the left, right, above and below, which are 3, 2 and
/// 1 parts likely. Delays are uniform from 1 to the longest. Synapses of an inhibitory neuron end
/// at excitatory ones of its column, with a delay of 1. A pair may have several synapses.
class wiring {
 public:
  explicit wiring(const network_settings& how);

  const network_settings& settings() const noexcept { return how_; }
  synapse at(neuron source, std::uint32_t number) const noexcept;
  /// Returns the columns in which synapses of this column may end, itself too, ascending and each
  /// once; synapses that end in this column come from the same.
  std::vector<std::uint32_t> columns_around(std::uint32_t column) const;

 private:
  std::uint32_t column_at(std::uint32_t column, int x, int y) const noexcept;
  std::uint32_t drawn_column(std::uint32_t column, std::uint32_t word) const noexcept;

  network_settings how_;
  std::uint64_t local_words_;  ///< number of words of 2^32 that mean the own column
};

}  // namespace spiking_network
