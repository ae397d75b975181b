#pragma once
/// All other code reaches code built for one instruction set only through these tables.

#include "dirac/kernel_table.hpp"

namespace onehop {

enum class isa_tag { native, avx512, avx2, neon, plain };

/// Returns the kernels of one instruction set for a precision computed in `Real` and a number of
/// lanes; null if the set has no such vectors.
template <isa_tag Isa, class Real>
const kernel_table* kernels_of(field_precision kind, int lanes);
template <isa_tag Isa, class Real>
int widest_lanes_of();

}  // namespace onehop
