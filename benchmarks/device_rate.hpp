#pragma once
/// The same of a device as operator_rate.hpp of the host: its kernels beside what its memory can
/// do.

#include "benchmarks/operator_rate.hpp"

namespace onehop::bench {

/// Collective; every rank gets the same. Of a device no rate of multiplications is measured, and
/// memory_gbs is that of copies within its memory.
operator_rate measure_device_operator(const onehop::geometry& geometry, const operator_cell& what,
                                      const measure::stopping_limits& stop);

}  // namespace onehop::bench
