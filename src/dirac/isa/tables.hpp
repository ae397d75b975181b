#pragma once
/// The doors between code built for one instruction set and everything else.

#include "dirac/kernel_table.hpp"

namespace onehop {

enum class isa_tag { native, avx512, avx2, neon, plain };

/// Kernels of one instruction set for a number of lanes; null where it has no such vectors.
template <isa_tag Isa>
const kernel_table* kernels_of(field_precision kind, int lanes);
template <isa_tag Isa>
int widest_lanes_of(field_precision kind);

}  // namespace onehop
