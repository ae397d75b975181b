#pragma once
/// The same of a device as operator_rate.hpp of the host: its kernels beside what its memory can
/// do.

#include <string>
#include <vector>

#include "benchmarks/choose_block.hpp"
#include "benchmarks/operator_rate.hpp"

namespace onehop::bench {

/// Collective; every rank gets the same. Of a device no rate of multiplications is measured, and
/// memory_gbs is that of copies within its memory.
operator_rate measure_device_operator(const onehop::geometry& geometry, const operator_cell& what,
                                      const measure::stopping_limits& stop);

/// What was measured of one kernel.
struct tuned_block {
  std::string kernel;  ///< as block_shapes names it
  int threads;         ///< chosen
  block_times times;   ///< of as many launches each
};

struct tuned_device {
  std::string device;
  std::string words;  ///< all choices, as block_shapes has them
  std::vector<tuned_block> blocks;
};

/// Times the hops of every operator in every kind of numbers and links, and CG's vector algebra, on
/// the device of rank 0, in blocks of each shape. One rank.
tuned_device tune_device(const onehop::geometry& geometry, operator_cell cell, int rounds);

}  // namespace onehop::bench
