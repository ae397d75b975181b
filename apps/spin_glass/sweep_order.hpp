#pragma once
/// A sweep_order is the order in which planes are updated where several half-sweeps, each of one
/// colour, go over the lattice together, so that planes are still in a cache when the next
/// half-sweep comes to them.

#include <vector>

namespace spin_glass {

/// This is plane z in a half-sweep, which are counted from 0.
struct plane_sweep {
  int half_sweep, z;
};

/// A half-sweep of a plane comes after the one before it of this plane and of those at z - 1 and
/// z + 1, around the lattice too, and before the next one of all these. Half-sweep k of planes that
/// are k or more from both ends needs nothing from beyond the ends, which other ranks may have:
/// `inside` has them. First come the `ends` of half-sweep 0, then `inside`, then the ends of the
/// others.
///
/// The first half-sweeps of an order are an order too.
struct sweep_order {
  std::vector<std::vector<plane_sweep>> ends;  ///< by half-sweep, planes near both ends
  std::vector<plane_sweep> inside;             ///< half-sweeps follow each other a plane behind
};

sweep_order order_of(int half_sweeps, int planes);

}  // namespace spin_glass
