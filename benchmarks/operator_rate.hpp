#pragma once
/// An operator_rate says how fast the hopping term of an operator or an iteration of CG is,
/// compared with what the machine can reach.

#include <onehop/geometry.hpp>
#include <onehop/solver_options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/timed_work.hpp"
#include "device/backend.hpp"
#include "measure/stopping.hpp"

namespace onehop::bench {

/// An operator_cell defines the measurement: an operator and how it is computed. Its mass and the
/// solve's tolerance do not matter, and `rhs` right-hand sides are computed together.
struct operator_cell : solve_options {
  /// If true, iterations of `solver` on the even/odd system are measured instead of the hopping
  /// term alone; for clover and twisted mass, they are measured instead of M on the sites of one
  /// parity.
  bool iterations = false;
  /// In tests, this makes a replacement for the device that `device` names; null means no
  /// replacement.
  std::function<std::unique_ptr<device::backend>()> make_backend;
  int first_core = -1;  ///< core of this rank's first thread; -1: the system chooses
};

/// Returns whether the site term of the cell's M is more than a number, so that M is measured
/// instead of H alone.
bool has_site_terms(const operator_cell& cell) noexcept;

/// Samples cover all ranks together. They were taken in turns, one of each kind per round.
struct operator_rate {
  std::string kernels;
  std::vector<double> gflops;      ///< rate of the work, by the stated count
  std::vector<double> fma_gflops;  ///< rate of fused multiplications and additions in registers;
                                   ///< not measured on devices
  /// This is the rate of reading and writing in the operator's own proportion, with as much memory
  /// as the operator uses.
  std::vector<double> memory_gbs;
  std::vector<work_split> splits;  ///< times of an iteration, mean over ranks
  double flops_per_site = 0;       ///< flops per right-hand side and site of one parity
  double bytes_per_site = 0;       ///< per rhs; each kernel moves everything once
  double working_set_bytes = 0;
  /// For operators this is the largest difference of a component from the reference operator's,
  /// relative to the largest component. For iterations it is |b - M x| / |b| by the reference
  /// operator, after a solve in this precision.
  double error = 0;
  double error_limit = 0;  ///< error that this precision allows
};

/// Measures the operator; collective, every rank gets the same result.
operator_rate measure_operator(const onehop::geometry& geometry, const operator_cell& what,
                               const measure::stopping_limits& stop);

}  // namespace onehop::bench
