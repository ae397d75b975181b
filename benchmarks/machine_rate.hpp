#pragma once
/// What the cores can compute and the memory can deliver.

#include "dirac/kernel_table.hpp"
#include "lattice/aligned_memory.hpp"
#include "machine/thread_team.hpp"

namespace onehop::bench {

/// On this rank's threads, all at work at the same time.
class machine_rate {
 public:
  /// Memory of `bytes`, of which the part `written` is written and the rest read.
  machine_rate(const kernel_table& kernels, thread_team& team, std::size_t bytes, double written);

  /// Multiplications and additions of one call.
  double flops() const noexcept;
  void compute();

  /// Bytes read and written by one call.
  double bytes() const noexcept;
  void stream();

 private:
  const kernel_table* kernels_;
  thread_team* team_;
  std::size_t reads_per_write_;
  std::size_t lines_;  ///< written, all threads together
  aligned_memory read_, written_;
};

}  // namespace onehop::bench
