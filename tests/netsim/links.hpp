#pragma once
// Tests of what takes time on a link, and of all stages together, run on these machines.

#include "machines.hpp"

namespace onehop::netsim {

inline constexpr picoseconds us = 1'000'000;

inline cable link_of(double rate, picoseconds latency, std::uint32_t credits = 8) {
  cable link;
  link.raw_rate = rate;
  link.latency = latency;
  link.credits = credits;
  return link;
}

// Returns a machine with everything that a network has: several kinds of stages, contention and bit
// errors.
inline machine_description busy_torus(std::vector<std::uint32_t> extents) {
  auto link = link_of(3.5e9, 100'000, 2);
  link.efficiency = 0.63;
  link.framing_bytes = 32;
  link.bit_error_rate = 1e-7;
  auto machine = torus(std::move(extents), link);
  machine.fabrics[0].router_latency = 50'000;
  machine.fabrics[0].transmit_packets = 2;
  machine.fabrics[0].receive_packets = 2;
  at_origin(machine, software_step{300'000, 0, 0, 0}, "cpu");
  at_origin(machine, dma_engine{2, 500'000, 700'000, 0, 3e9, 8192, true});
  at_target(machine, translation{124'000, 1'600'000, 4, 4096, 0});
  at_target(machine, bus_port{200'000, 3e9, 256, 24});
  at_target(machine, software_step{100'000, 0, 0, 0}, "cpu");
  machine.protocols = {direct()};
  return machine;
}

}  // namespace onehop::netsim
