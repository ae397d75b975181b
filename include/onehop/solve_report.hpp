#pragma once
/// A solve_report is the result of a solve: iterations, residuals, times.

#include <onehop/detail/language.hpp>

namespace onehop {

/// A time_split has seconds of this rank. The part of the total that no other entry has is copying
/// and conversion. On a device the vector algebra is part of operator_s, since nobody waits for one
/// kernel alone.
struct time_split {
  double total_s = 0;      ///< the whole solve with its check of the true residual
  double operator_s = 0;   ///< hopping kernels and packing
  double halo_wait_s = 0;  ///< waiting for faces
  double vector_s = 0;     ///< vector algebra, and sums over this rank's sites
  double reduction_s = 0;  ///< summing over ranks
  double check_s = 0;      ///< true residual by the reference operator
};

struct solve_report {
  int iterations = 0;
  int reliable_updates = 0;  ///< how often a residual in coarse precision was computed again in a
                             ///< finer one
  bool converged = false;
  double residual_iterated = 0;  ///< the relative residual that the solver's recurrence gave
  double residual_true = 0;      ///< |b - M x| / |b| by the reference operator
  double flops = 0;              ///< stated count of the whole solve, all ranks
  time_split time;               ///< times of this rank
  // Sources that were solved together have equal shares of flops and time.
};

}  // namespace onehop
