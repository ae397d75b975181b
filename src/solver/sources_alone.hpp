#pragma once
/// How many sources go together where nobody says.

#include "lattice/storage.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

namespace onehop {

/// Whether sources are best solved one by one on this machine: links of `reals` reals stay in
/// caches anyway, and fields of several would take their place.
bool goes_best_alone(const geometry& geometry, dslash kind, storage numbers, int reals,
                     int threads);

}  // namespace onehop
