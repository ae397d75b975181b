#pragma once
/// The wiring says where the synapses of a neuron end.

#include "settings.hpp"

#include <vector>

namespace spiking_network {

/// A column reaches columns at most this many columns away, along x or along y.
inline constexpr int reach = 3;

/// A synapse ends at the neuron `target`, at which a spike arrives `delay` steps after it was
/// fired.
struct synapse {
  neuron target;
  std::uint32_t delay;
};

/// The wiring is a function of seed, neuron and number of the synapse, so that every rank knows all
/// of it without communication.
///
/// Of an excitatory neuron's synapses, the share `local` ends in its own column, at another neuron.
/// The others end 1, 2 or 3 columns to the left, right, above or below, with probabilities in the
/// ratio 3 to 2 to 1. Delays are uniform from 1 to the longest. Synapses of an inhibitory neuron
/// end at excitatory neurons of its column, with a delay of 1. A pair of neurons may have several
/// synapses.
class wiring {
 public:
  explicit wiring(const network_settings& how);

  const network_settings& settings() const noexcept { return how_; }
  synapse at(neuron source, std::uint32_t number) const noexcept;
  /// Returns the columns in which synapses of this column may end, including itself, ascending and
  /// each once. The synapses that end in this column come from these columns too.
  std::vector<std::uint32_t> columns_around(std::uint32_t column) const;

 private:
  std::uint32_t column_at(std::uint32_t column, int x, int y) const noexcept;
  std::uint32_t drawn_column(std::uint32_t column, std::uint32_t word) const noexcept;

  network_settings how_;
  std::uint64_t local_words_;  ///< number of words of 2^32 that stand for the neuron's own column
};

}  // namespace spiking_network
