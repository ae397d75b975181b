#pragma once
/// The spike statistics of a rank are rates, intervals between spikes, and a sum that tells one
/// list of spikes from another.

#include "sheet.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace spiking_network {

/// These are of all ranks, and of the neurons of one kind.
struct kind_statistics {
  std::uint64_t spikes = 0;   ///< since the beginning
  std::uint64_t counted = 0;  ///< those that averages take in
  /// The mean, over neurons with three intervals or more, of the standard deviation of a neuron's
  /// intervals between successive spikes over their mean; none where no neuron has three.
  std::optional<double> interval_variation;
};

class spike_statistics {
 public:
  /// Averages take in what happens from step `first` on.
  spike_statistics(const sheet& columns, std::int32_t first);

  void add(neuron n, std::uint32_t local, std::int32_t step) noexcept;
  /// Returns excitatory and inhibitory neurons. Collective.
  std::array<kind_statistics, 2> kinds(const onehop::context& job) const;
  /// Returns the same for the same spikes, whichever rank has them, and with high probability
  /// another number for others. Collective.
  std::uint64_t checksum(const onehop::context& job) const;

 private:
  /// Intervals between the counted spikes of a neuron, in ms.
  struct intervals {
    std::int32_t last_spike = -1;
    std::uint32_t count = 0;
    std::uint64_t sum = 0, squares = 0;
  };
  std::size_t kind(std::uint32_t local) const noexcept {
    return local % column_neurons_ < excitatory_ ? 0 : 1;
  }

  std::uint32_t column_neurons_, excitatory_;
  std::int32_t first_;
  std::array<std::uint64_t, 2> spikes_{}, counted_{};
  std::uint64_t checksum_ = 0;
  std::vector<intervals> intervals_;
};

}  // namespace spiking_network
