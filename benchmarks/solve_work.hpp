#pragma once
/// solve_work is iterations of a solver.

#include <complex>
#include <vector>

#include "benchmarks/operator_rate.hpp"
#include "benchmarks/timed_work.hpp"
#include "dirac/hop_links.hpp"
#include "solver/level.hpp"

namespace onehop::bench {

/// A unit is an iteration of all right-hand sides of a batch, without the work before the first
/// one.
class solve_work : public timed_work {
 public:
  /// `links` and `team` must outlive the work.
  solve_work(const hop_links& links, const operator_cell& cell, field_precision kind,
             const instruction_set& set, thread_team& team);

  void run(int count) override { seconds(count); }
  double seconds(int count) override;
  work_split split() const override { return split_; }
  const kernel_table& kernels() const override { return level_.op.kernels(); }
  const lane_layout& layout() const override { return level_.layout; }
  double flops() const override { return flops_; }
  double bytes() const override;
  double bytes_written() const override;
  double working_set() const override;
  double error() override;

 private:
  struct moment;
  moment now() const;
  void some_iterations(int count);
  double applications() const;

  const hop_links* links_;
  operator_cell cell_;
  solver_level level_;
  lane_field source_, x_, r_;
  work_split split_;
  double flops_ = 0;
};

/// Returns canonical noise that a seed determines.
std::vector<std::complex<double>> noise(const onehop::geometry& geometry, dslash kind, int seed);

/// Returns the options of the operator other than its kind.
solve_options bench_options(const operator_cell& cell);

/// Returns the error that each of the precisions allows, with room for sums of some hundred terms.
double error_limit(precision wanted);

}  // namespace onehop::bench
