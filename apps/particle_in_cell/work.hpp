#pragma once
/// These functions return the costs of a step.

#include "cell_kernels.hpp"
#include "particles.hpp"

#include <onehop/kernel_cost.hpp>

#include <array>

namespace particle_in_cell {

/// Returns the number of additions, multiplications, divisions and square roots with which the
/// kernel pushes a particle that stays in its cell and adds its current. Comparisons and sums of
/// integers do not count, nor do the additional operations for a particle that goes to another
/// cell.
constexpr double push_flops(int dimensions, int order, pusher how) noexcept {
  const double there = order + 1, between = order;
  const std::array<double, 3> nodes{there, there, dimensions == 3 ? there : 1},
      halves{between, between, dimensions == 3 ? between : 1};
  // A gathered component takes two operations for each point, and two for each row of points.
  const auto gather = [](double x, double y, double z) { return (2 * x + 2) * y * z; };
  const auto [nx, ny, nz] = nodes;
  const auto [hx, hy, hz] = halves;
  double flops = gather(hx, ny, nz) + gather(nx, hy, nz) + gather(nx, ny, hz) + gather(nx, hy, hz) +
                 gather(hx, ny, hz) + gather(hx, hy, nz);
  // A current takes five operations for each pair of points across it, and two for each of its own.
  flops += 5 * (ny * nz + nx * nz + nx * ny) + 2 * (hx * ny * nz + nx * hy * nz + nx * ny * hz);
  for (int mu = 0; mu < 3; ++mu) {
    const auto at = static_cast<std::size_t>(mu);
    // Weights are computed before and after the step; those of a displacement take three operations
    // for each node.
    const bool is_there = mu < dimensions;
    flops += is_there && order == 2 ? 20 : 4;
    flops += 3 * nodes[at] + halves[at] - 1;
    // These operations bring an offset back into its cell.
    flops += is_there ? 3 : 0;
  }
  constexpr double turn = 48, longer_turn = 19, kicks = 12, speed = 8, way = 7, charge = 1;
  return flops + turn + (how == pusher::higuera_cary ? longer_turn : 0) + kicks + speed + way +
         charge;
}

/// Returns the work of a step of these particles and cells, as it is charged to a virtual machine.
/// A particle is read and written once in the step and once in its sort.
inline onehop::kernel_cost step_work(double particles, double cells,
                                     double flops_of_particle) noexcept {
  return {.flops = flops_of_particle * particles + 36 * cells,
          .bytes = 4 * sizeof(particle) * particles + 24 * sizeof(double) * cells,
          .launches = 3};
}

}  // namespace particle_in_cell
