#pragma once
/// A slow_network is a slow and obvious implementation of a network, on one rank.

#include <spiking_network/random_uses.hpp>
#include <spiking_network/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace spiking_network {

/// Ranks check with this, because Boost's assertions are not safe in several threads.
inline void expect(bool condition, const std::string& what = {},
                   std::source_location where = std::source_location::current()) {
  if (!condition)
    throw std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": not as expected: " + what);
}

/// Every synapse is an object, and every event waits in a list of its step.
class slow_network {
 public:
  explicit slow_network(const network_settings& how) : how_(how) {
    const wiring synapses(how);
    const std::uint32_t count = how.columns() * how.neurons;
    for (neuron from = 0; from < count; ++from)
      for (std::uint32_t number = 0; number < how.synapses; ++number) {
        const synapse made = synapses.at(from, number);
        const bool excites = how.is_excitatory(from);
        all_.push_back({made.target, made.delay, excites ? how.excitation : -how.inhibition,
                        excites && how.plastic});
      }
    neurons_.resize(count);
  }

  std::vector<spike> run(std::uint32_t steps) {
    std::vector<spike> spikes;
    for (std::uint32_t step = 0; step < steps; ++step) {
      arrive(step);
      stimulate(step);
      for (neuron n = 0; n < neurons_.size(); ++n)
        if (advance(n)) spikes.push_back({step, n});
      for (auto each = spikes.rbegin(); each != spikes.rend() && each->step == step; ++each)
        learn(each->from, step);
      for (const spike& each : spikes)
        if (each.step == step) send(each);
      if (how_.plastic && (step + 1) % 1000 == 0) renew();
    }
    return spikes;
  }

  float potential(neuron n) const { return neurons_.at(n).v; }

 private:
  struct connection {
    neuron target;
    std::uint32_t delay;
    float weight;
    bool plastic;
    float change = 0;
    long last_arrival = -1000000;
  };
  struct cell {
    float v = -65, u = -13, current = 0;
    long last_spike = -1000000;
  };

  static float decay(long steps) {
    double value = 1;
    if (steps >= 512) return 0;
    for (long k = 0; k < steps; ++k) value *= 0.95;
    return static_cast<float>(value);
  }

  /// Events of a step wait in the order in which they were fired, because later spikes are added
  /// later.
  void arrive(std::uint32_t step) {
    for (const std::size_t k : events_[step]) {
      connection& along = all_[k];
      cell& to = neurons_[along.target];
      to.current += along.weight;
      if (!along.plastic) continue;
      along.change -= 0.12F * decay(long{step} - to.last_spike - 1);
      along.last_arrival = step;
    }
    events_.erase(step);
  }

  void stimulate(std::uint32_t step) {
    const double expected = how_.stimulus_hz * 1e-3 * how_.neurons;
    for (std::uint32_t column = 0; column < how_.columns(); ++column) {
      const auto draw = [&](std::uint32_t k) {
        return random_words(how_.seed, random_stimuli, column, step, k)[0];
      };
      const auto count = static_cast<std::uint32_t>(std::floor(expected + draw(0) * 0x1p-32));
      for (std::uint32_t k = 1; k <= count; ++k)
        neurons_[column * how_.neurons + below(how_.neurons, draw(k))].current += how_.stimulus;
    }
  }

  bool advance(neuron n) {
    cell& c = neurons_[n];
    const bool excites = how_.is_excitatory(n);
    const float rest = 140.0F - c.u + c.current;
    c.current = 0;
    for (int half = 0; half < 2; ++half)
      c.v = std::min(c.v + 0.5F * ((0.04F * c.v + 5.0F) * c.v + rest), 30.0F);
    c.u = c.u + (excites ? 0.02F : 0.1F) * (0.2F * c.v - c.u);
    if (c.v < 30) return false;
    c.v = -65;
    c.u += excites ? 8.0F : 2.0F;
    return true;
  }

  void learn(neuron n, std::uint32_t step) {
    neurons_[n].last_spike = step;
    for (connection& each : all_)
      if (each.plastic && each.target == n)
        each.change += 0.1F * decay(long{step} - each.last_arrival);
  }

  void send(const spike& fired) {
    for (std::uint32_t number = 0; number < how_.synapses; ++number) {
      const std::size_t k = std::size_t{fired.from} * how_.synapses + number;
      events_[fired.step + all_[k].delay].push_back(k);
    }
  }

  void renew() {
    for (connection& each : all_) {
      if (!each.plastic) continue;
      each.weight = std::clamp(each.weight + 0.01F + each.change, 0.0F, 10.0F);
      each.change *= 0.9F;
    }
  }

  network_settings how_;
  std::vector<connection> all_;
  std::vector<cell> neurons_;
  std::map<std::uint32_t, std::vector<std::size_t>> events_;
};

}  // namespace spiking_network
