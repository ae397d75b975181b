#pragma once
/// The doors between code built for one instruction set and everything else.

#include "dirac/kernel_table.hpp"

namespace onehop {

enum class isa_tag { native, avx512, avx2, neon, plain };

/// Kernels of one instruction set for a precision that is worked with in `Real` and a number of
/// lanes; null where it has no such vectors.
template <isa_tag Isa, class Real>
const kernel_table* kernels_of(field_precision kind, int lanes);
template <isa_tag Isa, class Real>
int widest_lanes_of();

}  // namespace onehop
