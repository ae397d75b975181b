#include "simulation.hpp"

#include "each_cell.hpp"

#include <onehop/exact_sum.hpp>

namespace lattice_boltzmann {
namespace {

template <class Real>
class simulation_in final : public simulation {
 public:
  simulation_in(const onehop::cartesian& ranks, const setup& what, const flow_options& how)
      : setup_(what), flow_(ranks, how) {
    flow_.set_solid([&](const onehop::coordinate& cell) { return setup_.solid(cell); });
    flow_.set([&](const onehop::coordinate& cell) { return setup_.at_first(cell); });
    onehop::exact_sum excess;
    for_fluids([&](const fluid& here, const auto&) { excess.add(here.excess); });
    excess_at_first_ = excess.total(ranks.context());
  }

  void advance(int steps) override {
    for (int step = 0; step < steps; ++step) flow_.step();
  }

  flow_sums sums() const override {
    std::vector<onehop::exact_sum> sums(6);
    for_fluids([&](const fluid& here, const onehop::coordinate& cell) {
      const auto shape = setup_.shape(cell);
      sums[0].add(here.excess);
      double along = 0, square = 0;
      for (std::size_t mu = 0; mu < 3; ++mu) {
        sums[1 + mu].add((1 + here.excess) * here.velocity[mu]);
        along += shape[mu] * here.velocity[mu];
        square += shape[mu] * shape[mu];
      }
      sums[4].add(along);
      sums[5].add(square);
    });
    std::array<double, 6> all;
    onehop::totals(flow_.ranks().context(), sums, all);
    return {(all[0] - excess_at_first_) / cells(), {all[1], all[2], all[3]}, all[4] / all[5]};
  }

  std::vector<double> profile() const override {
    const auto& extents = flow_.ranks().extents();
    std::vector<onehop::exact_sum> sums(static_cast<std::size_t>(extents[2]));
    for_fluids([&](const fluid& here, const onehop::coordinate& cell) {
      sums[static_cast<std::size_t>(cell[2])].add(here.velocity[0]);
    });
    std::vector<double> means(sums.size());
    onehop::totals(flow_.ranks().context(), sums, means);
    for (double& mean : means) mean /= static_cast<double>(extents[0]) * extents[1];
    return means;
  }

  std::vector<double> fields() const override {
    const std::size_t own = flow_.where().cells();
    std::vector<double> found(4 * own);
    std::size_t k = 0;
    for_fluids([&](const fluid& here, const onehop::coordinate&) {
      found[k] = 1 + here.excess;
      for (std::size_t mu = 0; mu < 3; ++mu) found[(1 + mu) * own + k] = here.velocity[mu];
      ++k;
    });
    return found;
  }

  const flow_times& times() const noexcept override { return flow_.times(); }
  std::size_t sent_bytes() const noexcept override { return flow_.sent_bytes(); }
  std::string kernels() const override {
    return std::string(flow_.used().isa) + ", " + std::to_string(flow_.used().lanes) + " lanes";
  }

 private:
  double cells() const { return static_cast<double>(onehop::volume(flow_.ranks().extents())); }

  template <class Work>
  void for_fluids(const Work& work) const {
    for_cells(flow_.where(), [&](int x, int y, int z, const onehop::coordinate& cell) {
      work(setup_.solid(cell) ? fluid{} : flow_.at(x, y, z), cell);
    });
  }

  setup setup_;
  flow<Real> flow_;
  double excess_at_first_ = 0;
};

onehop::coordinate extents_of(const std::vector<int>& lattice) {
  onehop::coordinate extents{1, 1, 1, 1};
  for (std::size_t mu = 0; mu < lattice.size() && mu < 4; ++mu) extents[mu] = lattice[mu];
  return extents;
}

}  // namespace

std::unique_ptr<simulation> make_simulation(const onehop::context& job,
                                            const std::vector<int>& lattice,
                                            const std::vector<int>& grid,
                                            const simulation_options& how) {
  const setup what(how.kind, extents_of(lattice), how.tau, how.speed, how.radius);
  std::vector<bool> periodic = what.periodic();
  periodic.resize(lattice.size(), true);
  const onehop::cartesian ranks(job, lattice, {.grid = grid, .periodic = periodic});
  const flow_options flow_how{how.tau, how.magic, what.force(), how.how};
  if (how.numbers == precision::single)
    return std::make_unique<simulation_in<float>>(ranks, what, flow_how);
  return std::make_unique<simulation_in<double>>(ranks, what, flow_how);
}

}  // namespace lattice_boltzmann
