// This file is built once for each instruction set, which ONEHOP_APP_ISA names.
#include "neuron_kernels.hpp"

#include <common/instruction_sets.hpp>
#include <common/lanes.hpp>

#include <array>
#include <cstdint>

namespace spiking_network::ONEHOP_APP_ISA {
namespace {

using app_common::ONEHOP_APP_ISA::all_lanes, app_common::ONEHOP_APP_ISA::lanes,
    app_common::ONEHOP_APP_ISA::load, app_common::ONEHOP_APP_ISA::store,
    app_common::ONEHOP_APP_ISA::widest;

constexpr int width = widest<float>;
using numbers = lanes<float, width>;
using flags = lanes<std::int32_t, width>;
static_assert(neurons_of_group % width == 0);

constexpr float peak = 30, after_spike = -65, slope = 0.2F;

/// Returns the potential half a millisecond later.
numbers half_step(const numbers& v, const numbers& rest) {
  const numbers next = v + 0.5F * ((0.04F * v + 5.0F) * v + rest);
  return next < peak ? next : all_lanes<float, width>(peak);
}

/// Advances as many neurons as there are lanes, from number k on, and returns -1 for each that has
/// fired, or 0. It uses vectors explicitly, because the compiler does not vectorise a loop over
/// neurons.
flags advance(const neuron_arrays& all, std::size_t k) {
  const auto from = [k](const float* array) { return load<float, width>(array + k); };
  const auto to = [k](float* array, const numbers& value) {
    store<float, width>(array + k, value);
  };
  const numbers u = from(all.recovery), rest = 140.0F - u + from(all.current);
  const numbers v = half_step(half_step(from(all.potential), rest), rest);
  const numbers recovered = u + from(all.pace) * (slope * v - u);
  const flags spike = v >= peak;
  to(all.potential, spike ? all_lanes<float, width>(after_spike) : v);
  to(all.recovery, recovered + (spike ? from(all.after) : numbers{}));
  to(all.current, numbers{});
  return spike;
}

/// Most groups have no spike in a step.
std::uint64_t bits_of(const std::array<flags, neurons_of_group / width>& fired) {
  flags any{};
  for (const flags& each : fired) any |= each;
  std::int32_t one = 0;
  for (int lane = 0; lane < width; ++lane) one |= any[lane];
  if (one == 0) return 0;
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < neurons_of_group; ++k)
    bits |= static_cast<std::uint64_t>(fired[k / width][k % width] != 0) << k;
  return bits;
}

void step(const neuron_arrays& neurons, std::uint64_t* spikes) {
  std::array<flags, neurons_of_group / width> fired;
  for (std::size_t group = 0; group < neurons.groups; ++group) {
    for (std::size_t k = 0; k < fired.size(); ++k)
      fired[k] = advance(neurons, group * neurons_of_group + k * width);
    spikes[group] = bits_of(fired);
  }
}

}  // namespace

neuron_kernels table() { return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA), step}; }

}  // namespace spiking_network::ONEHOP_APP_ISA
