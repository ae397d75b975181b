#pragma once
/// Solves M x = b on a device.

#include "device/backend.hpp"
#include "solver/device_krylov.hpp"

#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace onehop {

class device_solver {
 public:
  /// Collective. `links` are not kept. Throws what device_operator throws, and usage_error for a
  /// solver that devices have not.
  device_solver(std::unique_ptr<device::backend> where, const hop_links& links,
                const solve_options& options, field_precision fine, int fine_reals,
                std::optional<field_precision> coarse);

  /// Everything but the check of the true residual and the total time; canonical fields one behind
  /// the other, at most options.rhs of them. `first` is the number of the first for solve_progress.
  /// Collective.
  std::vector<solve_report> solve(std::span<const std::complex<double>> sources,
                                  std::span<std::complex<double>> solutions, int first);
  std::string name() const { return where_->name(); }

 private:
  using field = device::field;

  /// One column of a solve.
  struct column {
    double source_norm;
    solve_report report;
  };
  /// How a column's corrections go.
  struct corrections {
    double least = 0, norm = 0;
    int last_gain = 0, in_vain = 0, limit = 0;
  };

  void reshape(int columns);
  void write(std::span<const std::complex<double>> canonical, int parity, field& to);
  void read(const field& from, int parity, std::span<std::complex<double>> canonical);
  rhs_values norms_of(const field& even, const field& odd);
  void iterate(const field& rhs);
  void run(const rhs_mask& open);
  void run_with_corrections(const field& rhs, const rhs_mask& open);
  bool wants_more(std::size_t number, const corrections& way) const;
  /// After a correction; false where it was the last one.
  bool note(corrections& way, int iterations, int most) const;
  rhs_values residual(const field& rhs, const rhs_mask& which);
  int most(std::size_t number) const {
    return options_.max_iterations - columns_[number].report.iterations;
  }
  template <class Test>
  std::vector<bool> those_that(const Test& test) const;
  double flops() const { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  std::chrono::nanoseconds halo_wait() const;
  std::chrono::nanoseconds reduction_time() const;
  std::function<void(int, int, double)> progress() const;

  solve_options options_;
  int first_ = 0;  ///< number of the first source
  std::vector<column> columns_;
  std::unique_ptr<device::backend> where_;
  std::unique_ptr<device::stream> work_;
  device_operator fine_;
  std::optional<device_operator> coarse_;
  std::unique_ptr<device_krylov> krylov_;
  field x_, r_;  ///< of the fine operator
  rhs_mask solved_, open_, going_;
  device::memory canonical_, host_canonical_;
};

}  // namespace onehop
