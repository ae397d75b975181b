#pragma once
/// A simulation runs a sample with its replicas in either precision, for a caller that does not
/// want to name the precision as a type.

#include "couplings.hpp"
#include "replica_overlap.hpp"
#include "sampler.hpp"

#include <onehop/cartesian.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spin_glass {

enum class precision : std::uint8_t { single, double_ };

struct simulation_options {
  disorder kind = disorder::gaussian;
  std::uint64_t seed = 1;  ///< seed of couplings, start and heatbath
  int replicas = 1;
  precision numbers = precision::single;
  overlap how = overlap::bulk;
};

/// These are energies of the whole lattice.
struct sweep_energies {
  double after_heatbath, after_overrelaxation;
};

/// These are the times that this rank spent in parts of a run, by the clock of its context.
struct simulation_times {
  double heatbath_s = 0, overrelaxation_s = 0, energies_s = 0;
  double halo_s = 0;  ///< time of over-relaxations in start and wait of the chains
};

/// All members that change or sum data are collective.
class simulation {
 public:
  virtual ~simulation() = default;

  /// Does for each replica a heatbath at its beta, which is numbered by the sweeps before it, and
  /// as many over-relaxations of both colours as given. Throws onehop::usage_error unless there is
  /// one beta of at least 0 for each replica.
  virtual std::vector<sweep_energies> sweep(std::span<const double> betas, int overrelaxations) = 0;
  /// Returns the susceptibilities of the pairs of replicas 0 and 1, 2 and 3, and so on.
  virtual std::vector<overlap_susceptibility> susceptibilities() const = 0;
  /// Returns the times of all replicas together.
  virtual const simulation_times& times() const noexcept = 0;
  /// Returns how many spins of the whole lattice over-relaxations have updated so far.
  virtual double updates() const noexcept = 0;
  /// Returns the instruction set and lanes of the kernels.
  virtual std::string kernels() const = 0;
};

/// Makes the simulation; collective. Replicas begin hot, each with its own spins. Throws
/// onehop::usage_error for anything that checkerboard refuses, and unless there are 1 to 65535
/// replicas.
std::unique_ptr<simulation> make_simulation(const onehop::cartesian& ranks,
                                            const simulation_options& how);

}  // namespace spin_glass
