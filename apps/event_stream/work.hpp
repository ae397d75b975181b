#pragma once
/// These say what the steps of a stream cost on a virtual machine.

#include <onehop/kernel_cost.hpp>

#include <cstdint>

namespace event_stream {

/// Rings of a batch are fitted by one kernel: for each hit two sums for the mean, twelve operations
/// for the algebraic circle and thirty for each of two steps; for each event three linear systems
/// and what is left. Each look whether a hit is near a circle takes eight. It reads the fragments
/// and writes the decisions.
inline onehop::kernel_cost fit_work(std::uint64_t events, std::uint64_t hits, std::uint64_t bytes,
                                    std::uint64_t looks) {
  return {.flops = 75.0 * static_cast<double>(hits) + 200.0 * static_cast<double>(events) +
                   8.0 * static_cast<double>(looks),
          .bytes = static_cast<double>(bytes) + 16.0 * static_cast<double>(events)};
}

}  // namespace event_stream
