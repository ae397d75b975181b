#pragma once
/// A synapse_table stores the synapses that end at a rank's neurons in the order in which spikes
/// use them.

#include "sheet.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spiking_network {

/// A run is the synapses of one source with one delay: numbers of synapses from `begin` up to but
/// not including `end`.
struct synapse_run {
  std::uint32_t begin, end;
};

/// Synapses are ordered by source, then delay, then their number at the source.
class synapse_table {
 public:
  /// Throws onehop::resource_error if more than 2^32 - 1 synapses end at this rank.
  explicit synapse_table(const sheet& columns);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(targets_.size()); }
  synapse_run run(std::uint32_t source, std::uint32_t delay) const noexcept {
    const std::size_t row = std::size_t{source} * delays_ + delay - 1;
    return {begins_[row], begins_[row + 1]};
  }
  /// Returns all synapses of a source.
  synapse_run all(std::uint32_t source) const noexcept {
    const std::size_t row = std::size_t{source} * delays_;
    return {begins_[row], begins_[row + delays_]};
  }
  /// Returns, for each synapse, the number at this rank of the neuron at which it ends.
  std::span<const std::uint32_t> targets() const noexcept { return targets_; }
  std::span<float> weights() noexcept { return weights_; }
  std::span<const float> weights() const noexcept { return weights_; }

 private:
  template <class Take>
  void for_each(const sheet& columns, const Take& take) const;

  std::size_t delays_;
  std::vector<std::uint32_t> begins_;  ///< by source and delay, and the end of the last one
  std::vector<std::uint32_t> targets_;
  std::vector<float> weights_;
};

}  // namespace spiking_network
