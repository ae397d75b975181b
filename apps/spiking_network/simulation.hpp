#pragma once
/// A simulation advances a network in steps of a millisecond.

#include "neuron_kernels.hpp"
#include "plasticity.hpp"
#include "sheet.hpp"
#include "spike_exchange.hpp"
#include "spike_statistics.hpp"
#include "synapse_table.hpp"

#include <common/aligned_array.hpp>

#include <onehop/cartesian.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spiking_network {

/// This is the event that a neuron fires in a step, counted from 0.
struct spike {
  std::uint32_t step;
  neuron from;
};

struct simulation_options {
  std::int32_t first_ms = 0;  ///< averages include spikes from this step on
  bool keeps_spikes = false;  ///< whether spikes() returns the list of spikes
};

/// This is the time of this rank, which on a virtual machine is virtual time.
struct network_times {
  double steps_s = 0;
  double exchange_s = 0;  ///< the part of the steps spent in start and wait of the chain
};

/// These are sums over all ranks. A spike is sent once to each rank that has synapses of its
/// neuron, and is an event at each of its synapses.
struct network_counts {
  std::uint64_t sent = 0, received = 0;
  std::uint64_t delivered = 0;  ///< events so far, counted on arrival
  std::uint64_t due = 0;        ///< events so far, counted by the wiring when spikes are fired
  std::uint64_t synapses = 0;
};

/// Spikes are the same for the same settings on any number of ranks, because the arrivals at a
/// neuron in a step are added in the order of firing time, source neuron and synapse.
class simulation {
 public:
  /// The constructor is collective. Throws onehop::usage_error for settings that `check` refuses.
  simulation(const onehop::cartesian& ranks, const network_settings& how,
             const simulation_options& options = {});

  /// This member is collective, like the next four.
  void advance(int steps);
  network_counts counts() const;
  std::array<kind_statistics, 2> kinds() const { return statistics_.kinds(job()); }
  std::uint64_t checksum() const { return statistics_.checksum(job()); }
  /// Returns the mean weight of the excitatory synapses.
  double mean_weight() const;

  const std::vector<spike>& spikes() const noexcept { return spikes_; }
  /// Returns the potentials of this rank's neurons, in mV, by neuron.
  std::span<const float> potentials() const noexcept {
    return {neurons_.potential.data(), sheet_.own_neurons()};
  }
  std::span<const float> weights() const noexcept { return synapses_.weights(); }
  const network_times& times() const noexcept { return times_; }
  std::string kernels() const { return std::string(kernels_->isa); }

 private:
  /// These are the neurons of this rank and those that fill up the last group.
  struct neurons {
    explicit neurons(const sheet& columns);
    std::ptrdiff_t size() const noexcept {
      return static_cast<std::ptrdiff_t>(groups * neurons_of_group);
    }
    neuron_arrays arrays() const noexcept;

    std::size_t groups;
    app_common::aligned_array<float> potential, recovery, current, pace, after;
    std::vector<std::uint64_t> fired;
  };

  const onehop::context& job() const noexcept { return sheet_.ranks().context(); }
  bool is_excitatory(std::uint32_t source) const noexcept {
    return sheet_.settings().is_excitatory(sheet_.source_at(source));
  }
  std::vector<std::uint32_t>& fired_before(std::uint32_t steps) noexcept;
  void step();
  void deliver(std::uint32_t longest, std::uint32_t shortest);
  void deliver_run(std::uint32_t source, const synapse_run& run);
  void finish_exchange();
  void stimulate();
  void fire();
  void fire(std::uint32_t local, std::vector<std::uint32_t>& sources);
  std::uint64_t pending() const;

  sheet sheet_;
  simulation_options options_;
  network_times times_;
  synapse_table synapses_;
  std::optional<plasticity> plasticity_;
  neurons neurons_;
  spike_exchange exchange_;
  spike_statistics statistics_;
  const neuron_kernels* kernels_;
  std::int32_t step_ = 0;
  /// These are the sources that have fired, ascending, for as many steps as the longest delay;
  /// those of step s are at s modulo this number.
  std::vector<std::vector<std::uint32_t>> history_;
  std::vector<spike> spikes_;
  std::uint64_t fired_ = 0, delivered_ = 0;
};

}  // namespace spiking_network
