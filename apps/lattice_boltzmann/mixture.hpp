#pragma once
/// A mixture is two fluids on a lattice, which separate by a free energy or follow a phase field.

#include "flow.hpp"

#include <onehop/halo_exchange.hpp>

#include <array>
#include <functional>

namespace lattice_boltzmann {

/// With two densities, the order parameter is a phase field that follows the conservative equation
/// of Allen and Cahn. The density is 1 where phi is 1, and `light` where phi is -1.
struct two_densities {
  double light = 1e-3;
  double gravity = 0;  ///< towards smaller z, in cells per step^2
  double drive = 0;  ///< along x, a force on both fluids in proportion to their mass, as gravity is
  /// This is the relaxation time of the light fluid, if its kinematic viscosity differs from that
  /// of the heavy one.
  std::optional<double> light_tau = {};
};

struct mixture_options {
  double tau = 1;  ///< relaxation time of the momentum; with two, the heavy fluid's
  std::optional<double> magic = {};
  double interface_width = 4;     ///< W in cells: a flat interface is tanh(2 x / W)
  double surface_tension = 0.01;  ///< sigma
  double mobility = 0.4;          ///< M of the flux -M grad mu, or of a phase field's flux
  double wall_cosine = 0;         ///< cos of the contact angle, through the fluid where phi is 1
  std::optional<two_densities> densities = {};
  overlap how = overlap::bulk;
};

/// A cell has an order parameter and a pressure in addition to density and velocity. The pressure
/// is n / 3 + phi mu - A (phi^2 - 1)^2 less that of the fluids at rest, or p* rho / 3 with two
/// densities.
struct mixture_cell {
  fluid whole;
  double phi = 0, pressure = 0;
};

/// The order parameter phi is 1 in one fluid and -1 in the other. Momentum uses D3Q19 and the order
/// parameter D3Q7 (Zheng, Shu and Chew, J. Comput. Phys. 218 (2006) 353); both fluids have the same
/// density and viscosity. With two densities, the order parameter is a phase field, and the
/// populations of the momentum describe pressure and velocity (Fakhari, Mitchell, Leonardi and
/// Bolster, Phys. Rev. E 96 (2017) 053301); between the fluids, the inverse of the kinematic
/// viscosity varies like the density. W and sigma set A = 3 sigma / (4 W) and kappa = 3 sigma W /
/// 8. At walls, the slope of phi into the wall is 2 cos(angle) / W (1 - phi^2), that of a flat
/// interface at the contact angle.
///
/// All results have the same bits on any grid of ranks, transport and instruction set, as in a
/// flow. All members except `at` are collective, and they throw as put_chain::wait does.
template <class Real>
class mixture {
 public:
  using by_cell = std::function<double(const onehop::coordinate& cell)>;

  /// The constructor throws onehop::usage_error for anything that a flow refuses. It also throws
  /// unless the width is at least 2, tension and mobility are above 0, the mobility is small enough
  /// for the order parameter to be stable, and the cosine is from -1 to 1. With two densities it
  /// throws unless the light density is above 0 and at most 1, gravity and drive are finite, and
  /// the light fluid's relaxation time is valid for a flow.
  mixture(const onehop::cartesian& ranks, const mixture_options& how);

  const block& where() const noexcept { return momentum_.where(); }
  const onehop::cartesian& ranks() const noexcept { return where().ranks(); }

  /// Sets fluids at rest in local equilibrium from the order parameter by global coordinate; before
  /// the first step only.
  void set(const by_cell& phi_at) {
    set(phi_at, [](const onehop::coordinate&) { return 0.0; });
  }
  /// Sets two densities at rest. The heavy fluid has a pressure by global coordinate, the light one
  /// has pressure 0.
  void set(const by_cell& phi_at, const by_cell& heavy_pressure_at);
  void step();

  /// Returns the state of a cell of this rank's block.
  mixture_cell at(int x, int y, int z) const noexcept;

  const flow_times& times() const noexcept { return times_; }
  /// Returns the number of bytes of populations and order parameter that this rank sends in a step.
  std::size_t sent_bytes() const noexcept;
  /// Returns the work of a step on cells, as it is charged to a virtual machine.
  static onehop::kernel_cost step_cost(std::size_t cells, bool of_densities = false,
                                       bool two_viscosities = false) noexcept;

  /// Selects another of the kernels that this processor supports.
  void use(const row_kernels<Real>& kernels) noexcept { kernels_ = &kernels; }
  const row_kernels<Real>& used() const noexcept { return *kernels_; }

 private:
  struct local_energy {
    double potential;
    std::array<double, 3> force;
  };
  local_energy energy_at(int x, int y, int z) const noexcept;
  mixture_job<Real> job(const part& of) const noexcept { return job(of, order_.job(of)); }
  mixture_job<Real> job(const part& of,
                        const row_job<Real, directions_of_d3q7>& order) const noexcept;
  double density_of(double phi) const noexcept;
  void set_free_energy();
  void set_densities(const by_cell& heavy_pressure_at);
  Real* kept(std::size_t direction) const noexcept {
    return kept_.data() + static_cast<std::ptrdiff_t>(direction - 1) * where().pitch();
  }
  part plane(int z) const noexcept { return {z, 0, where().extent(1), 0, where().extent(0)}; }
  void collide(const std::vector<part>& parts, bool sums_behind);
  void sum_order_behind(int z);
  void sum_order();
  void fill_ghosts();
  void wet_wall(std::size_t mu, int side);

  populations<Real> momentum_;
  populations<Real, directions_of_d3q7> order_;
  app_common::aligned_array<Real> kept_;
  mutable onehop::halo_field<Real> phi_;
  onehop::halo_exchange halo_;
  block_parts parts_;
  relaxation relaxation_;
  free_energy energy_;
  std::optional<phase_field> phases_;
  double wall_slope_;
  overlap how_;
  const row_kernels<Real>* kernels_;
  flow_times times_;
  /// The planes from 1 up to this one get their new order parameter before the step ends.
  int summed_ = 0;
};

}  // namespace lattice_boltzmann
