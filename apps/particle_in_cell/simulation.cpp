#include "simulation.hpp"

#include "shape.hpp"

#include <onehop/cartesian.hpp>
#include <onehop/exact_sum.hpp>

#include <algorithm>

namespace particle_in_cell {
namespace {

onehop::coordinate extents_of(const std::vector<int>& lattice) {
  onehop::coordinate extents{1, 1, 1, 1};
  for (std::size_t mu = 0; mu < lattice.size() && mu < 4; ++mu) extents[mu] = lattice[mu];
  return extents;
}

double square(const std::array<double, 3>& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

}  // namespace

simulation::simulation(const onehop::context& job, const std::vector<int>& lattice,
                       const std::vector<int>& grid, const setup_options& what,
                       const plasma_options& how)
    : plasma_(onehop::cartesian(job, lattice, {.grid = grid}),
              setup(what, extents_of(lattice), static_cast<int>(lattice.size())), how) {}

void simulation::advance(int steps) {
  for (int step = 0; step < steps; ++step) plasma_.step();
}

plasma_sums simulation::sums() {
  std::vector<onehop::exact_sum> sums(11);
  const auto& origin = plasma_.ranks().origin();
  for_cells(plasma_.ranks().local(), [&](const onehop::coordinate& cell) {
    const auto e = plasma_.grid().electric(cell), b = plasma_.grid().magnetic(cell);
    const auto mode =
        plasma_.what().mode({origin[0] + cell[0], origin[1] + cell[1], origin[2] + cell[2], 0});
    sums[0].add(square(e) / 2);
    sums[1].add(square(b) / 2);
    sums[2].add(mode[0] * e[0] + mode[1] * e[1] + mode[2] * e[2]);
    sums[3].add(square(mode));
  });
  sums[4].add(plasma_.kinetic_energies());
  for (const traveller& each : plasma_.all_particles())
    for (std::size_t mu = 0; mu < 3; ++mu) sums[5 + mu].add(each.what.u[mu]);
  sums[8].add(static_cast<double>(plasma_.count()));
  sums[9].add(static_cast<double>(plasma_.made()));
  sums[10].add(static_cast<double>(plasma_.removed()));
  std::array<double, 11> all;
  onehop::totals(plasma_.ranks().context(), sums, all);
  const double mass = -plasma_.particle_charge();
  return {all[0],
          all[1],
          mass * all[4],
          {mass * all[5], mass * all[6], mass * all[7]},
          all[3] > 0 ? all[2] / all[3] : 0,
          plasma_.residuals(),
          all[8],
          all[9],
          all[10]};
}

std::vector<double> simulation::fields() {
  const std::size_t cells = plasma_.ranks().local_volume();
  std::vector<double> found(7 * cells);
  const auto charges = plasma_.charges();
  const double density = plasma_.what().density(),
               scale = density > 0 ? -plasma_.quantum() / density : 0;
  std::size_t k = 0;
  for_cells(plasma_.ranks().local(), [&](const onehop::coordinate& cell) {
    const auto e = plasma_.grid().electric(cell), b = plasma_.grid().magnetic(cell);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      found[mu * cells + k] = e[mu];
      found[(3 + mu) * cells + k] = b[mu];
    }
    found[6 * cells + k] = scale * static_cast<double>(charges[k]);
    ++k;
  });
  return found;
}

std::vector<double> simulation::particles(double ids) const {
  std::vector<double> rows;
  const auto& origin = plasma_.ranks().origin();
  for (const traveller& each : plasma_.all_particles()) {
    if (static_cast<double>(each.what.id) >= ids) continue;
    for (std::size_t mu = 0; mu < 3; ++mu)
      rows.push_back(origin[mu] + each.cell[mu] + each.what.offset[mu] +
                     (mu == 0 ? plasma_.window_moved() : 0));
    for (std::size_t mu = 0; mu < 3; ++mu) rows.push_back(each.what.u[mu]);
    rows.push_back(static_cast<double>(each.what.id));
  }
  return rows;
}

std::string simulation::kernels() const {
  const cell_kernels& used = plasma_.used();
  return std::string(used.isa) + ", " + std::to_string(used.lanes) + " lanes";
}

}  // namespace particle_in_cell
