#pragma once
/// A simulation runs a setup of one fluid or of two in either precision, for a caller that does not
/// want to name the precision as a type.

#include "mixture.hpp"
#include "mixture_setup.hpp"
#include "setup.hpp"

#include <onehop/cartesian.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lattice_boltzmann {

enum class precision : std::uint8_t { single, double_ };

struct simulation_options {
  setup_kind kind = setup_kind::taylor_green;
  double tau = 0.8;
  std::optional<double> magic = {};  ///< the parameter of TRT; BGK without it
  double speed = 0.01;               ///< U of the setup, in cells per step
  double radius = 0;                 ///< the radius of spheres, in cells
  precision numbers = precision::double_;
  overlap how = overlap::bulk;
};

/// These are exact sums over the whole lattice, each rounded once.
struct flow_sums {
  double mass_change;  ///< the change since the beginning, divided by the mass
  std::array<double, 3> momentum;
  /// This is the amplitude of the setup's shape in the velocities, where those of solid cells are
  /// 0; for two fluids it is the root mean square of the order parameter.
  double amplitude;
  double order_change = 0;  ///< the change of the mean order parameter of two fluids
};

/// All members that change or sum data are collective.
class simulation {
 public:
  virtual ~simulation() = default;

  virtual void advance(int steps) = 0;
  virtual flow_sums sums() const = 0;
  /// Returns the mean velocity along x of the cells at each z of the whole lattice.
  virtual std::vector<double> profile() const = 0;
  /// Returns density and velocity, and for two fluids also order parameter and pressure, of the
  /// cells of this rank's block: (4 or 6, z, y, x), x fastest.
  virtual std::vector<double> fields() const = 0;
  virtual const flow_times& times() const noexcept = 0;
  /// Returns the number of bytes that this rank sends in a step.
  virtual std::size_t sent_bytes() const noexcept = 0;
  /// Returns the instruction set and lanes of the kernels.
  virtual std::string kernels() const = 0;
};

/// Makes the simulation on a grid of ranks, which is chosen if it is empty; collective. Throws
/// onehop::usage_error for anything that onehop::cartesian and flow refuse.
std::unique_ptr<simulation> make_simulation(const onehop::context& job,
                                            const std::vector<int>& lattice,
                                            const std::vector<int>& grid,
                                            const simulation_options& how);
/// Makes the simulation of two fluids in the same way.
std::unique_ptr<simulation> make_simulation(const onehop::context& job,
                                            const std::vector<int>& lattice,
                                            const std::vector<int>& grid, const mixture_setup& what,
                                            const mixture_options& how, precision numbers);

}  // namespace lattice_boltzmann
