#pragma once
/// A device_solver solves M x = b on a device.

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
  /// The constructor is collective. `links` are not kept. Throws what device_operator throws, and
  /// usage_error for a solver that there is not on devices.
  device_solver(std::unique_ptr<device::backend> where, const hop_links& links,
                const solve_options& options, field_precision fine, int fine_reals,
                std::optional<field_precision> coarse);

  /// Solves for canonical fields one behind the other, at most options.rhs of them; fills in
  /// everything but the check of the true residual and the total time. `first` is the number of the
  /// first for solve_progress. Collective.
  std::vector<solve_report> solve(std::span<const std::complex<double>> sources,
                                  std::span<std::complex<double>> solutions, int first);
  std::string name() const { return where_->name(); }

 private:
  using field = device::field;

  /// A column is one right-hand side of a solve.
  struct column {
    double source_norm;
    solve_report report;
  };

  void reshape(int columns);
  void write(std::span<const std::complex<double>> canonical, int parity, field& to);
  void read(const field& from, int parity, std::span<std::complex<double>> canonical);
  rhs_values norms_of(const field& even, const field& odd);
  void iterate(const field& rhs);
  /// Iterates from r_, with reliable updates where there is a coarse precision, until each
  /// right-hand side has reached its target, its limit or a breakdown, or does not fall any more.
  /// Returns |rhs - S x_| of each.
  rhs_values run(const field& rhs, const rhs_mask& open);
  /// Adds what the solver has found to x_, in the fine precision, and clears it.
  void add_found(const rhs_mask& which);
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
  field x_, r_;                 ///< fields of the fine operator
  std::optional<field> found_;  ///< found by the coarse operator, in the fine precision
  rhs_mask solved_, open_;
  device::memory canonical_, host_canonical_;
};

}  // namespace onehop
