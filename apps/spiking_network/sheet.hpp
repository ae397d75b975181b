#pragma once
/// The sheet says which rank has which columns, and from which columns a rank receives spikes.

#include "wiring.hpp"

#include <onehop/cartesian.hpp>

#include <cstdint>
#include <vector>

namespace spiking_network {

/// A rank has a block of the grid of columns. Its sources are the neurons of all columns from which
/// its own columns can be reached. They are numbered by column and, within it, by place, so that
/// sources have the same order as neurons on any number of ranks.
class sheet {
 public:
  /// Throws onehop::usage_error if `ranks` is not a grid of the wiring's columns.
  sheet(const onehop::cartesian& ranks, const wiring& synapses);

  const onehop::cartesian& ranks() const noexcept { return ranks_; }
  const wiring& synapses() const noexcept { return wiring_; }
  const network_settings& settings() const noexcept { return wiring_.settings(); }

  /// Returns this rank's columns, ascending. Its neurons are numbered from 0 on in this order.
  const std::vector<std::uint32_t>& own() const noexcept { return own_; }
  std::uint32_t own_neurons() const noexcept { return size(own_) * settings().neurons; }
  /// Returns the columns of the sources, ascending.
  const std::vector<std::uint32_t>& heard() const noexcept { return heard_; }
  std::uint32_t sources() const noexcept { return size(heard_) * settings().neurons; }
  /// Returns the ranks that have the columns around this rank's columns, ascending, without this
  /// rank.
  const std::vector<int>& peers() const noexcept { return peers_; }

  int owner(std::uint32_t column) const noexcept;
  bool is_own(neuron n) const noexcept {
    return owner(n / settings().neurons) == ranks_.context().rank();
  }
  /// Returns the number that one of this rank's neurons has here.
  std::uint32_t local(neuron n) const noexcept {
    return own_place_[n / settings().neurons] * settings().neurons + n % settings().neurons;
  }
  /// Returns the neuron that is number `local` of this rank.
  neuron neuron_at(std::uint32_t local) const noexcept {
    return own_[local / settings().neurons] * settings().neurons + local % settings().neurons;
  }
  /// Returns the number of a source.
  std::uint32_t source(neuron n) const noexcept {
    return heard_place_[n / settings().neurons] * settings().neurons + n % settings().neurons;
  }
  neuron source_at(std::uint32_t source) const noexcept {
    return heard_[source / settings().neurons] * settings().neurons + source % settings().neurons;
  }

 private:
  static std::uint32_t size(const std::vector<std::uint32_t>& columns) noexcept {
    return static_cast<std::uint32_t>(columns.size());
  }
  int part_of(int mu, std::uint32_t at) const noexcept;

  onehop::cartesian ranks_;
  wiring wiring_;
  std::vector<std::uint32_t> own_, heard_;
  std::vector<std::uint32_t> own_place_, heard_place_;  ///< by column
  std::vector<int> peers_;
};

}  // namespace spiking_network
