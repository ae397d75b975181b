#pragma once
/// This measures for a device what operator_rate.hpp measures for the host: its kernels, compared
/// with the bandwidth of its memory.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/operator_rate.hpp"

namespace onehop::bench {

/// This chooses the fastest of several ways. It keeps the seconds that each choice took; choices
/// are timed in turns, so that slow changes of the machine affect all of them alike.
using block_times = std::map<int, std::vector<double>>;
block_times time_blocks(std::span<const int> choices, int rounds,
                        const std::function<double(int threads)>& seconds);

/// Returns the choice with the smallest median. `standard`, which is one of the choices, is
/// returned unless that choice is faster by more than 3%.
int fastest_block(const block_times& times, int standard);

/// Measures on a device; collective, every rank gets the same result. It measures no rate of
/// multiplications, and memory_gbs is the rate of copies within the device's memory.
operator_rate measure_device_operator(const onehop::geometry& geometry, const operator_cell& what,
                                      const measure::stopping_limits& stop);

/// A tuned_block contains the measurements of one kernel.
struct tuned_block {
  std::string kernel;  ///< name of the kernel in block_shapes
  int threads;         ///< threads that were chosen
  block_times times;   ///< times of the same number of launches each
};

struct tuned_device {
  std::string device;
  std::string words;  ///< all choices in the words of block_shapes
  std::vector<tuned_block> blocks;
};

/// Times the hops of every operator in every precision and form of links, and CG's vector algebra,
/// on the device of rank 0, in blocks of each shape. It needs a job of one rank.
tuned_device tune_device(const onehop::geometry& geometry, operator_cell cell, int rounds);

}  // namespace onehop::bench
