#pragma once
/// Sums over sites are made in one order, the same on every device and for every block shape:
/// groups of neighbouring sites as a tree, then the groups' sums by a fixed number of adders. The
/// other right-hand sides of a batch do not matter.

#include "dirac/device/jobs.hpp"
#include "dirac/device/pack.hpp"

namespace onehop::device {

/// Adder i takes groups i, i + adders, ...; then the adders' sums are added as a tree.
constexpr std::int32_t adders = 512;

}  // namespace onehop::device
