#pragma once
/// How fast the hopping term of an operator or an iteration of CG is, beside what the machine can
/// do.

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

/// What is measured: an operator and how it is worked on. Its mass and the solve's tolerance do not
/// matter, and `rhs` right-hand sides go together.
struct operator_cell : solve_options {
  /// Iterations of `solver` on the even/odd system, instead of the hopping term alone; for clover
  /// and twisted mass, of M on the sites of one parity.
  bool iterations = false;
  /// Makes what stands for a device, instead of the one that `device` names; for tests. Null: that
  /// one.
  std::function<std::unique_ptr<device::backend>()> make_backend;
  int first_core = -1;  ///< where this rank's first thread stays; -1: where the system puts it
};

/// What the cell's M does at a site is no plain number, so that M is measured and not H alone.
bool has_site_terms(const operator_cell& cell) noexcept;

/// Samples are of all ranks together; they were taken in turns, one of each per round.
struct operator_rate {
  std::string kernels;
  std::vector<double> gflops;      ///< of the work, by the stated count
  std::vector<double> fma_gflops;  ///< of fused multiplications and additions in registers; not
                                   ///< of devices
  /// Reading and writing in the operator's own proportion, in as many bytes as it works on.
  std::vector<double> memory_gbs;
  std::vector<work_split> splits;  ///< of an iteration, mean over ranks
  double flops_per_site = 0;       ///< and right-hand side; sites of one parity
  double bytes_per_site = 0;       ///< the same, everything moved once by each kernel
  double working_set_bytes = 0;
  /// Operators: largest difference of a component from the reference operator's, relative to the
  /// largest. Iterations: |b - M x| / |b| by the reference operator of a solve in these numbers.
  double error = 0;
  double error_limit = 0;  ///< what these numbers can do
};

/// Collective; every rank gets the same.
operator_rate measure_operator(const onehop::geometry& geometry, const operator_cell& what,
                               const measure::stopping_limits& stop);

}  // namespace onehop::bench
