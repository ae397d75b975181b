#pragma once
/// Solves M x = b on a device.

#include "device/backend.hpp"
#include "solver/device_krylov.hpp"

#include <onehop/propagator.hpp>

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace onehop {

class device_solver {
 public:
  /// Collective. `links` are not kept. Throws what device_operator throws, and usage_error for a
  /// solver that devices have not.
  device_solver(std::unique_ptr<device::backend> where, const hop_links& links,
                const solve_options& options, storage fine, int fine_reals,
                std::optional<storage> coarse);

  /// Everything but the check of the true residual; canonical fields. `number` is for
  /// solve_progress. Collective.
  solve_report solve(std::span<const std::complex<double>> source,
                     std::span<std::complex<double>> solution, int number);
  std::string name() const { return where_->name(); }

 private:
  using field = device::field;

  void write(std::span<const std::complex<double>> canonical, int parity, field& to);
  void read(const field& from, int parity, std::span<std::complex<double>> canonical);
  void iterate(const field& rhs, double source_norm, solve_report& report);
  void run(const field& rhs, double source_norm, solve_report& report);
  void run_with_corrections(const field& rhs, double source_norm, solve_report& report);
  double residual(const field& rhs);
  double flops() const { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  std::chrono::nanoseconds halo_wait() const;
  std::chrono::nanoseconds reduction_time() const;
  std::function<void(int, double)> progress_after(int done, double source_norm) const;

  solve_options options_;
  int number_ = 0;  ///< of the source
  std::unique_ptr<device::backend> where_;
  std::unique_ptr<device::stream> work_;
  device_operator fine_;
  std::optional<device_operator> coarse_;
  std::unique_ptr<device_krylov> krylov_;
  field x_, r_;  ///< of the fine operator
  device::memory canonical_, host_canonical_;
};

}  // namespace onehop
