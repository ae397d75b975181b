#pragma once
/// A sweep_order is the order in which planes are updated if several half-sweeps, each of one
/// colour, go over the lattice together. Planes are then still in a cache when the next half-sweep
/// reaches them.

#include <vector>

namespace spin_glass {

/// This is plane z in a half-sweep; half-sweeps are counted from 0.
struct plane_sweep {
  int half_sweep, z;
};

/// A half-sweep of a plane comes after the previous half-sweep of this plane and of the planes at z
/// - 1 and z + 1, also around the lattice, and before the next half-sweep of all these. Half-sweep
/// k of planes that are k or more from both ends needs nothing from beyond the ends, which other
/// ranks may have; these are in `inside`. First come the `ends` of half-sweep 0, then `inside`,
/// then the ends of the other half-sweeps.
///
/// Leaving out the last half-sweeps of an order gives an order for fewer.
struct sweep_order {
  std::vector<std::vector<plane_sweep>> ends;  ///< by half-sweep, planes near both ends
  std::vector<plane_sweep> inside;  ///< each half-sweep follows one plane behind the previous one
};

sweep_order order_of(int half_sweeps, int planes);

}  // namespace spin_glass
