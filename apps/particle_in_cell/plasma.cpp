#include "plasma.hpp"

#include "shape.hpp"
#include "work.hpp"

#include <common/instruction_sets.hpp>
#include <common/stopwatch.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace particle_in_cell {

// Each build of cell_kernels.cpp defines a table.
ONEHOP_APP_USABLE_KERNELS(cell_kernels)

namespace {

/// A particle's charge is at least 2^47 quanta. Rounding a current to a quantum is then like
/// rounding a double, and a point has room for 2^15 particles that move at the speed of light.
constexpr int charge_bits = 47;
/// A cell may hold this many particles on average, because a point may have eight times the mean
/// density.
constexpr int most_particles = 1 << 12;

const onehop::cartesian& checked(const onehop::cartesian& ranks, const setup& what) {
  if (ranks.dimensions() != 2 && ranks.dimensions() != 3)
    throw onehop::usage_error("a lattice of two or three dimensions is needed, not of " +
                              std::to_string(ranks.dimensions()));
  if (what.options().order != 1 && what.options().order != 2)
    throw onehop::usage_error("the order of the shape is " + std::to_string(what.options().order) +
                              "; it must be 1 or 2");
  if (!(what.options().cell > 0) || !std::isfinite(what.options().cell))
    throw onehop::usage_error("the edge of a cell is " + std::to_string(what.options().cell) +
                              "; it must be above 0");
  if (what.density() > 0 && what.options().particles > most_particles)
    throw onehop::usage_error(std::to_string(what.options().particles) +
                              " particles in a cell; a point has room for the charge of at most " +
                              std::to_string(most_particles) + " in the mean");
  for (int mu = 0; mu < ranks.dimensions(); ++mu) {
    const auto at = static_cast<std::size_t>(mu);
    if (ranks.extents()[at] / ranks.grid()[at] < yee_grid::ghosts)
      throw onehop::usage_error(
          "lattice " + onehop::to_string(ranks.extents()) + " on grid " +
          onehop::to_string(ranks.grid()) +
          " has blocks of one cell; two or more are needed in each dimension");
  }
  return ranks;
}

/// A put has room for the particles of all cells at a face at eight times the mean density.
std::array<std::size_t, 3> most_across(const onehop::cartesian& ranks, const setup& what) {
  std::array<std::size_t, 3> most{};
  const auto each = static_cast<std::size_t>(what.options().particles);
  for (std::size_t mu = 0; mu < 3; ++mu) {
    std::size_t cells = 1;
    for (std::size_t nu = 0; nu < 3; ++nu)
      if (nu != mu)
        cells *= static_cast<std::size_t>((ranks.extents()[nu] + ranks.grid()[nu] - 1) /
                                          ranks.grid()[nu]);
    most[mu] = what.density() > 0 ? 8 * each * cells : std::max<std::size_t>(each, 1);
  }
  return most;
}

double charge_of(const setup& what) { return -what.density() / what.options().particles; }

double quantum_of(double charge) {
  return charge == 0 ? 1 : std::ldexp(1.0, std::ilogb(charge) - charge_bits);
}

/// A particle in a layer affects cells at most this far outside the layer.
constexpr int reach = 2;

std::optional<wakefield> wake_of(const onehop::cartesian& ranks, const setup& what, double dt) {
  if (what.ends() == boundary::periodic) return {};
  const setup_options& of = what.options();
  return wakefield(of.laser, of.cell, ranks.extents(), ranks.dimensions(), dt);
}

template <class X, class Y, class Z>
void add_charge(ghost_sum::field& to, const traveller& of, double charge) {
  double x[X::nodes], y[Y::nodes], z[Z::nodes];
  X::at_nodes(of.what.offset[0], x);
  Y::at_nodes(of.what.offset[1], y);
  Z::at_nodes(of.what.offset[2], z);
  for (int k = 0; k < Z::nodes; ++k)
    for (int j = 0; j < Y::nodes; ++j)
      for (int i = 0; i < X::nodes; ++i)
        to(of.cell[0] + X::first + i, of.cell[1] + Y::first + j, of.cell[2] + Z::first + k) +=
            std::llrint(charge * (x[i] * (y[j] * z[k])));
}

}  // namespace

plasma::plasma(const onehop::cartesian& ranks, const setup& what, const plasma_options& how)
    : setup_(what),
      how_(how),
      dt_(how.courant / std::sqrt(static_cast<double>(checked(ranks, what).dimensions()))),
      charge_(charge_of(what)),
      quantum_(quantum_of(charge_)),
      wake_(wake_of(ranks, what, dt_)),
      grid_(ranks, dt_, quantum_, what.ends()),
      particles_(ranks),
      migration_(ranks, most_across(ranks, what)),
      charge_field_(grid_.layout()),
      charge_sum_({&charge_field_}),
      ions_(grid_.layout()),
      kernels_(&usable_kernels().front()) {
  grid_.set([&](const auto& cell) { return setup_.electric(cell); },
            [&](const auto& cell) { return setup_.magnetic(cell); });
  if (!wake_) {
    load();
    return;
  }
  particles_.remove_in_layers(ranks, absorber::thickness);
  std::vector<onehop::halo_memory*> moved = grid_.memory();
  moved.push_back(&ions_);
  window_.emplace(std::move(moved));
}

/// Returns the particles of the setup in cells of the block from `first_x` up to but not including
/// `end_x`.
std::vector<traveller> plasma::new_particles(int first_x, int end_x) const {
  std::vector<traveller> made;
  const auto& origin = ranks().origin();
  const auto& local = ranks().local();
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y)
      for (int x = std::max(first_x, 0); x < std::min(end_x, local[0]); ++x)
        setup_.for_particles({origin[0] + x + window_moved_, origin[1] + y, origin[2] + z, 0},
                             [&](const particle& each) {
                               made.push_back({each, {x, y, z}});
                             });
  return made;
}

void plasma::load() {
  const std::vector<traveller> all = new_particles(0, ranks().local()[0]);
  made_ = all.size();
  particles_.sort(all);
  add_ions(all);
}

void plasma::add_ions(const std::vector<traveller>& electrons) {
  deposit(electrons);
  for_cells(ranks().local(),
            [&](const onehop::coordinate& cell) { ions_[cell] += charge_field_[cell]; });
}

template <class Work>
void plasma::for_rows(const Work& work) {
  for (int z = 0; z < ranks().local()[2]; ++z)
    for (int y = 0; y < ranks().local()[1]; ++y) {
      row_job job = particles_.row(y, z);
      grid_.point(job, y, z);
      job.dt = dt_;
      job.half_kick = -dt_ / 2;
      job.charge = charge_ / quantum_;
      work(job);
    }
}

void plasma::push() {
  const app_common::stopwatch clock(ranks().context(), times_.particles_s);
  pushes_ += count();
  grid_.clear_currents();
  for_rows([&](const row_job& job) {
    kernels_->push(job, ranks().dimensions(), setup_.options().order, how_.how);
  });
  ranks().context().work(step_work(static_cast<double>(count()),
                                   static_cast<double>(ranks().local_volume()), flops_of_push()));
}

/// An antenna sends nothing after the window has left it behind or after it has sent its pulse.
void plasma::start_fields() {
  const double time = (steps_ + 0.5) * dt_;
  if (!wake_ || !wake_->antenna_sends(time)) return grid_.start_step();
  const antenna from{wake_->antenna_x() - window_moved_, [&](const onehop::coordinate& cell) {
                       return wake_->magnetisation(cell, time);
                     }};
  grid_.start_step(&from);
}

void plasma::move_window(const std::vector<traveller>& plasma_in_front) {
  window_->step();
  add_ions(plasma_in_front);
}

void plasma::step() {
  const onehop::context& job = ranks().context();
  const app_common::stopwatch clock(job, times_.steps_s);
  const auto exchange = [&](auto&& member) {
    const app_common::stopwatch of_exchange(job, times_.exchange_s);
    member();
  };
  push();
  exchange([&] { grid_.sum_currents(); });
  start_fields();
  ++steps_;
  const int shift = wake_ ? wake_->window_moved(steps_ * dt_) - window_moved_ : 0;
  window_moved_ += shift;
  std::vector<traveller> travellers = particles_.leavers(shift);
  exchange([&] { migration_.exchange(travellers); });
  std::vector<traveller> in_front;
  if (shift != 0) {
    const int last = ranks().extents()[0] - absorber::thickness - 1 - ranks().origin()[0];
    in_front = new_particles(last, last + 1);
    made_ += in_front.size();
    travellers.insert(travellers.end(), in_front.begin(), in_front.end());
  }
  {
    const app_common::stopwatch of_sort(job, times_.sort_s);
    particles_.sort(travellers, shift);
  }
  exchange([&] { grid_.finish_step(); });
  if (shift != 0) exchange([&] { move_window(in_front); });
}

std::vector<double> plasma::kinetic_energies() {
  std::vector<double> energies(count());
  double* next = energies.data();
  for_rows([&](const row_job& job) {
    kernels_->measure(job, ranks().dimensions(), setup_.options().order, next - job.first[0]);
    next += job.first[job.cells] - job.first[0];
  });
  return energies;
}

/// Afterwards charge_field_ contains the charge of these particles, on whichever rank they lie.
void plasma::deposit(const std::vector<traveller>& all) {
  std::fill(charge_field_.data().begin(), charge_field_.data().end(), 0);
  const double charge = charge_ / quantum_;
  const bool flat = ranks().dimensions() == 2, linear = setup_.options().order == 1;
  for (const traveller& each : all) {
    if (flat && linear)
      add_charge<shape<1>, shape<1>, shape<0>>(charge_field_, each, charge);
    else if (flat)
      add_charge<shape<2>, shape<2>, shape<0>>(charge_field_, each, charge);
    else if (linear)
      add_charge<shape<1>, shape<1>, shape<1>>(charge_field_, each, charge);
    else
      add_charge<shape<2>, shape<2>, shape<2>>(charge_field_, each, charge);
  }
  charge_sum_.sum();
}

std::vector<quanta> plasma::charges() {
  deposit(particles_.all());
  std::vector<quanta> found;
  for_cells(ranks().local(),
            [&](const onehop::coordinate& cell) { found.push_back(charge_field_[cell]); });
  return found;
}

bool plasma::far_from_layers(const onehop::coordinate& cell) const noexcept {
  if (!wake_) return true;
  constexpr int margin = absorber::thickness + reach;
  for (int mu = 0; mu < ranks().dimensions(); ++mu) {
    const auto along = static_cast<std::size_t>(mu);
    const int at = ranks().origin()[along] + cell[along];
    if (at < margin || at >= ranks().extents()[along] - margin) return false;
  }
  return true;
}

gauss_residuals plasma::residuals() {
  deposit(particles_.all());
  std::array<double, 2> most{};
  for_cells(ranks().local(), [&](const onehop::coordinate& cell) {
    if (!far_from_layers(cell)) return;
    const double charge = quantum_ * static_cast<double>(charge_field_[cell] - ions_[cell]);
    most[0] = std::max(most[0], std::abs(grid_.divergence_of_electric(cell) - charge));
    most[1] = std::max(most[1], std::abs(grid_.divergence_of_magnetic(cell)));
  });
  onehop::allreduce_max(ranks().context(), most);
  if (setup_.density() > 0) most[0] /= setup_.density();
  return {most[0], most[1]};
}

double plasma::flops_of_push() const noexcept {
  return push_flops(ranks().dimensions(), setup_.options().order, how_.how);
}

}  // namespace particle_in_cell
