#pragma once
/// A machine_rate is the rate at which the cores compute and the memory delivers data.

#include "dirac/kernel_table.hpp"
#include "lattice/aligned_memory.hpp"
#include "machine/thread_team.hpp"

namespace onehop::bench {

/// All of this rank's threads work at the same time.
class machine_rate {
 public:
  /// The constructor allocates `bytes` of memory, of which the part `written` is written and the
  /// rest read.
  machine_rate(const kernel_table& kernels, thread_team& team, std::size_t bytes, double written);

  /// Returns the number of multiplications and additions in one call of compute.
  double flops() const noexcept;
  void compute();

  /// Returns the bytes read and written by one call of stream.
  double bytes() const noexcept;
  void stream();

 private:
  const kernel_table* kernels_;
  thread_team* team_;
  std::size_t reads_per_write_;
  std::size_t lines_;  ///< lines written, by all threads together
  aligned_memory read_, written_;
};

/// Returns the rate of multiplications and additions in double precision, in GFlop/s, of this
/// thread's core with the widest kernels. It is the highest of some samples, which together take 10
/// ms.
double core_gflops();

}  // namespace onehop::bench
