#pragma once
/// A flow is one fluid on a lattice: D3Q19 with the BGK or the TRT collision and a body force.

#include "parts.hpp"
#include "populations.hpp"
#include "row_kernels.hpp"

#include <onehop/kernel_cost.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lattice_boltzmann {

/// A fluid is the sum of the populations of a cell: its density relative to the mean, less 1, and
/// its velocity in cells per step.
struct fluid {
  double excess = 0;
  std::array<double, 3> velocity{};
};

/// Returns the populations f_i - w_i of the first cell of a row.
template <class Real>
std::array<double, directions> populations_of(const row_pointers<Real>& row) noexcept {
  std::array<double, directions> found;
  for (std::size_t i = 0; i < directions; ++i) found[i] = row[i][0];
  return found;
}

/// Returns density and velocity; the velocity includes half of a step's force.
inline fluid fluid_of(const std::array<double, directions>& f,
                      const std::array<double, 3>& force) noexcept {
  fluid here{f[0], {force[0] / 2, force[1] / 2, force[2] / 2}};
  for (std::size_t k = 0; k < pairs; ++k) {
    here.excess += f[2 * k + 1] + f[2 * k + 2];
    for (std::size_t mu = 0; mu < 3; ++mu)
      here.velocity[mu] += first_of_pair[k][mu] * (f[2 * k + 1] - f[2 * k + 2]);
  }
  for (double& component : here.velocity) component /= 1 + here.excess;
  return here;
}

/// The overlap says whether inner cells collide while populations travel, or before they leave.
enum class overlap : std::uint8_t { bulk, none };

struct flow_options {
  double tau = 1;  ///< time of relaxation of the stress, in steps; the viscosity is (tau - 1/2) / 3
  /// This is (1 / s+ - 1/2) (1 / s- - 1/2) of TRT; without it the collision is BGK.
  std::optional<double> magic = {};
  std::array<double, 3> force{};  ///< per volume
  overlap how = overlap::bulk;
};

/// Returns the rates of relaxation; throws onehop::usage_error unless tau is above 1/2 and magic
/// above 0.
relaxation relaxation_of(const flow_options& how);

struct flow_times {
  double steps_s = 0;  ///< time in steps
  double halo_s = 0;   ///< time of steps in start and wait of the chain
};

/// Extents of the lattice that are not periodic end with walls at rest, half a cell beyond the last
/// cells. Populations have the same bits on any grid of ranks, transport and instruction set: the
/// numbers of a cell depend only on those around it, by the four arithmetic operations in a fixed
/// order.
///
/// Members are collective, except for those that return or set data of this rank. All throw as
/// put_chain::wait does.
template <class Real>
class flow {
 public:
  /// The constructor throws onehop::usage_error unless the lattice has three dimensions, tau is
  /// above 1/2, and magic is above 0.
  flow(const onehop::cartesian& ranks, const flow_options& how);

  const block& where() const noexcept { return populations_.where(); }
  const onehop::cartesian& ranks() const noexcept { return where().ranks(); }

  /// Sets populations in equilibrium from densities and velocities by global coordinate; before the
  /// first step only.
  void set(const std::function<fluid(const onehop::coordinate& cell)>& fluid_at);
  /// Makes cells solid, by global coordinate: the fluid is at rest half-way to them. The numbers
  /// stored in solid cells have no meaning.
  void set_solid(const std::function<bool(const onehop::coordinate& cell)>& solid) {
    populations_.set_solid(solid);
  }
  void step();

  /// Returns density and velocity of a cell of this rank's block; the velocity includes half of a
  /// step's force.
  fluid at(int x, int y, int z) const noexcept;
  /// Returns a cell's populations f_i - w_i.
  std::array<double, directions> populations_at(int x, int y, int z) const noexcept;

  const flow_times& times() const noexcept { return times_; }
  /// Returns the number of bytes that this rank sends in a step.
  std::size_t sent_bytes() const noexcept { return populations_.sent() * sizeof(Real); }
  /// Returns the work of colliding cells, as it is charged to a virtual machine: each population is
  /// read and written once.
  static onehop::kernel_cost collision_cost(std::size_t cells) noexcept;

  /// Selects another of the kernels that this processor supports.
  void use(const row_kernels<Real>& kernels) noexcept { kernels_ = &kernels; }
  const row_kernels<Real>& used() const noexcept { return *kernels_; }

 private:
  void collide(const std::vector<part>& parts);

  populations<Real> populations_;
  block_parts parts_;
  relaxation relaxation_;
  overlap how_;
  const row_kernels<Real>* kernels_;
  flow_times times_;
};

}  // namespace lattice_boltzmann
