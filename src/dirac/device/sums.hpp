#pragma once
/// Sums over sites are made in one order, the same on every device and for every block shape:
/// groups of neighbouring sites are summed as a tree, then a fixed number of adders sum the groups.
/// Other right-hand sides of a batch have no influence.

#include "dirac/device/jobs.hpp"
#include "dirac/device/pack.hpp"

namespace onehop::device {

/// Adder i takes groups i, i + adders, ...; then the sums of the adders are added as a tree.
constexpr std::int32_t adders = 512;

}  // namespace onehop::device
