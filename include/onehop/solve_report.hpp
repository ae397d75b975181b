#pragma once
/// A solve_report is the result of a solve: iterations, residuals, times.

#include <onehop/detail/language.hpp>

namespace onehop {

/// A time_split holds times of this rank in seconds. The part of the total that belongs to no other
/// entry is copying and conversion. On a device, operator_s includes the vector algebra, because
/// the host does not wait for individual kernels.
struct time_split {
  double total_s = 0;      ///< the whole solve, including the check of the true residual
  double operator_s = 0;   ///< hopping kernels and packing
  double halo_wait_s = 0;  ///< waiting for faces
  double vector_s = 0;     ///< vector algebra, and sums over this rank's sites
  double reduction_s = 0;  ///< sums over ranks
  double check_s = 0;      ///< true residual by the reference operator
};

struct solve_report {
  int iterations = 0;
  int reliable_updates = 0;  ///< how often a residual in coarse precision was recomputed in a finer
                             ///< one
  bool converged = false;
  double residual_iterated = 0;  ///< relative residual according to the solver's recurrence
  double residual_true = 0;      ///< |b - M x| / |b| by the reference operator
  double flops = 0;              ///< flops of the whole solve on all ranks, by the stated count
  time_split time;               ///< times of this rank
  // Sources that were solved together get equal shares of flops and time.
};

}  // namespace onehop
