#include "simulation.hpp"

#include "random_uses.hpp"

#include <common/instruction_sets.hpp>
#include <common/stopwatch.hpp>

#include <onehop/collectives.hpp>
#include <onehop/exact_sum.hpp>
#include <onehop/kernel_cost.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace spiking_network {

// Each build of neuron_kernels.cpp defines a table.
ONEHOP_APP_USABLE_KERNELS(neuron_kernels)

namespace {

/// A spike finds the begin and the end of its synapses in 8 bytes. For each synapse, target and
/// weight are read, and a current is read and written. For a plastic synapse, the step of the
/// target's last spike is read, the accumulated change is read and written, and the arrival is
/// written.
onehop::kernel_cost delivery_work(std::uint64_t runs, std::uint64_t events, bool plastic) {
  const double each = plastic ? 32 : 16;
  return {.flops = (plastic ? 3.0 : 1.0) * static_cast<double>(events),
          .bytes = 8.0 * static_cast<double>(runs) + each * static_cast<double>(events)};
}

/// A neuron's potential, recovery and current are read and written and its two constants read. Each
/// half of a step takes 7 operations, the recovery 4, the limit at the peak 2, the spike 2.
onehop::kernel_cost neuron_work(std::uint64_t neurons) {
  return {.flops = 22.0 * static_cast<double>(neurons),
          .bytes = 32.0 * static_cast<double>(neurons)};
}

/// For each synapse that ends at a neuron that fires, its number and its last arrival are read and
/// its accumulated change is read and written.
onehop::kernel_cost learning_work(std::uint64_t synapses) {
  return {.flops = 2.0 * static_cast<double>(synapses),
          .bytes = 16.0 * static_cast<double>(synapses)};
}

}  // namespace

simulation::neurons::neurons(const sheet& columns)
    : groups((columns.own_neurons() + neurons_of_group - 1) / neurons_of_group),
      potential(size()),
      recovery(size()),
      current(size()),
      pace(size()),
      after(size()),
      fired(groups) {
  constexpr float rest = -65, slope = 0.2F;
  for (std::ptrdiff_t k = 0; k < size(); ++k) {
    const auto local = static_cast<std::uint32_t>(k);
    const bool excitatory = local >= columns.own_neurons() ||
                            columns.settings().is_excitatory(columns.neuron_at(local));
    potential.data()[k] = rest;
    recovery.data()[k] = slope * rest;
    pace.data()[k] = excitatory ? 0.02F : 0.1F;
    after.data()[k] = excitatory ? 8 : 2;
  }
}

neuron_arrays simulation::neurons::arrays() const noexcept {
  return {potential.data(), recovery.data(), current.data(), pace.data(), after.data(), groups};
}

simulation::simulation(const onehop::cartesian& ranks, const network_settings& how,
                       const simulation_options& options)
    : sheet_(ranks, wiring(how)),
      options_(options),
      synapses_(sheet_),
      neurons_(sheet_),
      exchange_(sheet_, synapses_),
      statistics_(sheet_, options.first_ms),
      kernels_(&usable_kernels().front()),
      history_(how.delay_ms) {
  if (how.plastic) plasticity_.emplace(sheet_, synapses_);
}

void simulation::advance(int steps) {
  const app_common::stopwatch clock(job(), times_.steps_s);
  for (int done = 0; done < steps; ++done) step();
  finish_exchange();
}

/// The spikes of the last step travel while older spikes arrive. Older spikes have to be first
/// anyway, because arrivals are added in the order in which they were fired.
void simulation::step() {
  deliver(sheet_.settings().delay_ms, 2);
  finish_exchange();
  deliver(1, 1);
  stimulate();
  kernels_->step(neurons_.arrays(), neurons_.fired.data());
  job().work(neuron_work(sheet_.own_neurons()));
  fire();
  {
    const app_common::stopwatch clock(job(), times_.exchange_s);
    exchange_.start();
  }
  ++step_;
  if (plasticity_ && step_ % plasticity::renewal_ms == 0) plasticity_->renew(synapses_.weights());
}

std::vector<std::uint32_t>& simulation::fired_before(std::uint32_t steps) noexcept {
  return history_[(static_cast<std::uint32_t>(step_) - steps) % history_.size()];
}

void simulation::deliver(std::uint32_t longest, std::uint32_t shortest) {
  const std::uint64_t before = delivered_;
  std::uint64_t runs = 0;
  const auto oldest = std::min(longest, static_cast<std::uint32_t>(step_));
  for (std::uint32_t delay = oldest; delay >= shortest && delay > 0; --delay) {
    const auto& sources = fired_before(delay);
    for (const std::uint32_t source : sources) deliver_run(source, synapses_.run(source, delay));
    runs += sources.size();
  }
  job().work(delivery_work(runs, delivered_ - before, plasticity_.has_value()));
}

void simulation::deliver_run(std::uint32_t source, const synapse_run& run) {
  float* const current = neurons_.current.data();
  const auto targets = synapses_.targets();
  const auto weights = std::as_const(synapses_).weights();
  for (std::uint32_t s = run.begin; s < run.end; ++s) current[targets[s]] += weights[s];
  if (plasticity_ && is_excitatory(source)) plasticity_->arrive(run, step_);
  delivered_ += run.end - run.begin;
}

void simulation::finish_exchange() {
  const app_common::stopwatch clock(job(), times_.exchange_s);
  bool any = false;
  exchange_.finish([&](std::span<const neuron> fired) {
    auto& sources = fired_before(1);
    for (const neuron n : fired) sources.push_back(sheet_.source(n));
    any |= !fired.empty();
  });
  if (any) std::ranges::sort(fired_before(1));
}

/// The number of stimuli of a column in a step is the whole part of the expected number, and at
/// random one more.
void simulation::stimulate() {
  const network_settings& how = sheet_.settings();
  const double expected = how.stimulus_hz * 1e-3 * how.neurons;
  const auto step = static_cast<std::uint32_t>(step_);
  for (std::uint32_t place = 0; place < sheet_.own().size(); ++place) {
    const std::uint32_t column = sheet_.own()[place];
    const auto draw = [&](std::uint32_t group) {
      return random_words(how.seed, random_stimuli, column, step, group)[0];
    };
    const auto count = static_cast<std::uint32_t>(std::floor(expected + draw(0) * 0x1p-32));
    for (std::uint32_t k = 1; k <= count; ++k)
      neurons_.current.data()[place * how.neurons + below(how.neurons, draw(k))] += how.stimulus;
  }
}

void simulation::fire() {
  auto& sources = fired_before(0);
  sources.clear();
  std::uint64_t learning = 0;
  for (std::size_t group = 0; group < neurons_.groups; ++group)
    for (std::uint64_t bits = neurons_.fired[group]; bits != 0; bits &= bits - 1) {
      const auto local = static_cast<std::uint32_t>(group * neurons_of_group) +
                         static_cast<std::uint32_t>(std::countr_zero(bits));
      fire(local, sources);
      if (plasticity_) learning += plasticity_->ending_at(local).size();
    }
  if (plasticity_) job().work(learning_work(learning));
}

void simulation::fire(std::uint32_t local, std::vector<std::uint32_t>& sources) {
  const neuron n = sheet_.neuron_at(local);
  sources.push_back(sheet_.source(n));
  exchange_.tell(n, local);
  statistics_.add(n, local, step_);
  if (plasticity_) plasticity_->fire(local, step_);
  if (options_.keeps_spikes) spikes_.push_back({static_cast<std::uint32_t>(step_), n});
  ++fired_;
}

/// Returns how many events of this rank's spikes are yet to come. It uses the wiring, because the
/// tables are under test.
std::uint64_t simulation::pending() const {
  const network_settings& how = sheet_.settings();
  const std::uint32_t known = std::min(how.delay_ms, static_cast<std::uint32_t>(step_));
  std::uint64_t count = 0;
  for (std::uint32_t ago = 1; ago <= known; ++ago)
    for (const std::uint32_t source :
         history_[(static_cast<std::uint32_t>(step_) - ago) % history_.size()]) {
      const neuron n = sheet_.source_at(source);
      if (!sheet_.is_own(n)) continue;
      for (std::uint32_t number = 0; number < how.synapses; ++number)
        count += sheet_.synapses().at(n, number).delay >= ago ? 1 : 0;
    }
  return count;
}

network_counts simulation::counts() const {
  std::array<std::uint64_t, 5> sums{exchange_.sent(), exchange_.received(), delivered_,
                                    fired_ * sheet_.settings().synapses - pending(),
                                    synapses_.size()};
  onehop::allreduce(job(), std::span<std::uint64_t>(sums));
  return {sums[0], sums[1], sums[2], sums[3], sums[4]};
}

double simulation::mean_weight() const {
  std::vector<onehop::exact_sum> sums(2);
  for (std::uint32_t source = 0; source < sheet_.sources(); ++source) {
    if (!is_excitatory(source)) continue;
    const synapse_run all = synapses_.all(source);
    for (std::uint32_t s = all.begin; s < all.end; ++s) sums[0].add(weights()[s]);
    sums[1].add(all.end - all.begin);
  }
  std::array<double, 2> total;
  onehop::totals(job(), sums, total);
  return total[0] / total[1];
}

}  // namespace spiking_network
