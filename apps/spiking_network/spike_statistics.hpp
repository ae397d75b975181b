#pragma once
/// The spike statistics of a rank are rates, intervals between spikes, and a checksum that
/// distinguishes lists of spikes.

#include "sheet.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace spiking_network {

/// These are statistics over all ranks, for the neurons of one kind.
struct kind_statistics {
  std::uint64_t spikes = 0;   ///< since the beginning
  std::uint64_t counted = 0;  ///< those that averages include
  /// This is the standard deviation of a neuron's intervals between successive spikes over their
  /// mean, averaged over neurons with three intervals or more; there is none if no neuron has
  /// three.
  std::optional<double> interval_variation;
};

class spike_statistics {
 public:
  /// Averages include spikes from step `first` on.
  spike_statistics(const sheet& columns, std::int32_t first);

  void add(neuron n, std::uint32_t local, std::int32_t step) noexcept;
  /// Returns the statistics of excitatory and inhibitory neurons. Collective.
  std::array<kind_statistics, 2> kinds(const onehop::context& job) const;
  /// Returns the checksum of the spikes, which does not depend on which rank has them. Other spikes
  /// have another checksum with high probability. Collective.
  std::uint64_t checksum(const onehop::context& job) const;

 private:
  /// These are the intervals between the counted spikes of a neuron, in ms.
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
