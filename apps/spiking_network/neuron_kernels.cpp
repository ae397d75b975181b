// This file is built once for each instruction set: ONEHOP_APP_ISA names it.
#include "neuron_kernels.hpp"

#include <common/instruction_sets.hpp>

#include <algorithm>
#include <array>

namespace spiking_network::ONEHOP_APP_ISA {
namespace {

constexpr float peak = 30, after_spike = -65, slope = 0.2F;

/// Returns the potential half a millisecond later.
inline float half_step(float v, float rest) {
  const float next = v + 0.5F * ((0.04F * v + 5.0F) * v + rest);
  return next < peak ? next : peak;
}

/// Advances a group and returns 1 for each neuron that has fired, or 0. The loop has one path for
/// all neurons, so that the compiler makes vectors of them.
void advance(const neuron_arrays& all, std::size_t first,
             std::array<std::uint8_t, neurons_of_group>& fired) {
  float* const potential = all.potential + first;
  float* const recovery = all.recovery + first;
  float* const current = all.current + first;
  const float* const pace = all.pace + first;
  const float* const after = all.after + first;
#pragma GCC ivdep
  for (std::size_t k = 0; k < neurons_of_group; ++k) {
    const float u = recovery[k], rest = 140.0F - u + current[k];
    const float v = half_step(half_step(potential[k], rest), rest);
    const float recovered = u + pace[k] * (slope * v - u);
    const bool spike = v >= peak;
    potential[k] = spike ? after_spike : v;
    recovery[k] = recovered + (spike ? after[k] : 0.0F);
    current[k] = 0;
    fired[k] = static_cast<std::uint8_t>(spike);
  }
}

/// Most groups have no spike in a step.
std::uint64_t bits_of(const std::array<std::uint8_t, neurons_of_group>& fired) {
  std::uint8_t any = 0;
  for (const std::uint8_t each : fired) any |= each;
  if (any == 0) return 0;
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < neurons_of_group; ++k) bits |= std::uint64_t{fired[k]} << k;
  return bits;
}

void step(const neuron_arrays& neurons, std::uint64_t* spikes) {
  std::array<std::uint8_t, neurons_of_group> fired;
  for (std::size_t group = 0; group < neurons.groups; ++group) {
    advance(neurons, group * neurons_of_group, fired);
    spikes[group] = bits_of(fired);
  }
}

}  // namespace

neuron_kernels table() { return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA), step}; }

}  // namespace spiking_network::ONEHOP_APP_ISA
