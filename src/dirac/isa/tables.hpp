#pragma once
/// Code built for one instruction set is reached from everything else by these tables only.

#include "dirac/kernel_table.hpp"

namespace onehop {

enum class isa_tag { native, avx512, avx2, neon, plain };

/// Returns the kernels of one instruction set for a precision that is computed in `Real` and a
/// number of lanes; null where the set has no such vectors.
template <isa_tag Isa, class Real>
const kernel_table* kernels_of(field_precision kind, int lanes);
template <isa_tag Isa, class Real>
int widest_lanes_of();

}  // namespace onehop
