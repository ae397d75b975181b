#include "each_cell.hpp"
#include "simulation.hpp"

#include <onehop/exact_sum.hpp>

#include <array>
#include <cmath>

namespace lattice_boltzmann {
namespace {

template <class Real>
class simulation_of_two final : public simulation {
 public:
  simulation_of_two(const onehop::cartesian& ranks, const mixture_setup& what,
                    const mixture_options& how)
      : fluids_(ranks, how) {
    const auto& extents = ranks.extents();
    const double gravity = how.densities ? how.densities->gravity : 0;
    fluids_.set([&](const onehop::coordinate& cell) { return what.order(cell, extents); },
                [&](const onehop::coordinate& cell) {
                  return what.heavy_pressure(cell, extents, how.surface_tension, gravity);
                });
    at_first_ = totals_now();
  }

  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) fluids_.step();
  }

  flow_sums sums() const override {
    const auto now = totals_now();
    return {(now[0] - at_first_[0]) / (cells() + at_first_[0]),
            {now[1], now[2], now[3]},
            std::sqrt(now[5] / cells()),
            (now[4] - at_first_[4]) / cells()};
  }

  std::vector<double> profile() const override {
    const auto& extents = fluids_.ranks().extents();
    std::vector<onehop::exact_sum> sums(static_cast<std::size_t>(extents[2]));
    for_mixture([&](const mixture_cell& here, const onehop::coordinate& cell) {
      sums[static_cast<std::size_t>(cell[2])].add(here.whole.velocity[0]);
    });
    std::vector<double> means(sums.size());
    onehop::totals(fluids_.ranks().context(), sums, means);
    for (double& mean : means) mean /= static_cast<double>(extents[0]) * extents[1];
    return means;
  }

  std::vector<double> fields() const override {
    const std::size_t own = fluids_.where().cells();
    std::vector<double> found(6 * own);
    std::size_t k = 0;
    for_mixture([&](const mixture_cell& here, const onehop::coordinate&) {
      const auto& u = here.whole.velocity;
      const std::array<double, 6> all{1 + here.whole.excess, u[0], u[1], u[2], here.phi,
                                      here.pressure};
      for (std::size_t field = 0; field < 6; ++field) found[field * own + k] = all[field];
      ++k;
    });
    return found;
  }

  const flow_times& times() const noexcept override { return fluids_.times(); }
  std::size_t sent_bytes() const noexcept override { return fluids_.sent_bytes(); }
  std::string kernels() const override {
    return std::string(fluids_.used().isa) + ", " + std::to_string(fluids_.used().lanes) + " lanes";
  }

 private:
  double cells() const { return static_cast<double>(onehop::volume(fluids_.ranks().extents())); }

  template <class Work>
  void for_mixture(const Work& work) const {
    for_cells(fluids_.where(), [&](int x, int y, int z, const onehop::coordinate& cell) {
      work(fluids_.at(x, y, z), cell);
    });
  }

  /// Returns the sums of density less 1, momentum, order parameter and its square.
  std::array<double, 6> totals_now() const {
    std::array<onehop::exact_sum, 6> sums;
    for_mixture([&](const mixture_cell& here, const onehop::coordinate&) {
      sums[0].add(here.whole.excess);
      for (std::size_t mu = 0; mu < 3; ++mu)
        sums[1 + mu].add((1 + here.whole.excess) * here.whole.velocity[mu]);
      sums[4].add(here.phi);
      sums[5].add(here.phi * here.phi);
    });
    std::array<double, 6> all;
    onehop::totals(fluids_.ranks().context(), sums, all);
    return all;
  }

  mixture<Real> fluids_;
  std::array<double, 6> at_first_{};
};

}  // namespace

std::unique_ptr<simulation> make_simulation(const onehop::context& job,
                                            const std::vector<int>& lattice,
                                            const std::vector<int>& grid, const mixture_setup& what,
                                            const mixture_options& how, precision numbers) {
  std::vector<bool> periodic = what.periodic();
  periodic.resize(lattice.size(), true);
  const onehop::cartesian ranks(job, lattice, {.grid = grid, .periodic = periodic});
  if (numbers == precision::single)
    return std::make_unique<simulation_of_two<float>>(ranks, what, how);
  return std::make_unique<simulation_of_two<double>>(ranks, what, how);
}

}  // namespace lattice_boltzmann
