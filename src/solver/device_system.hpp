#pragma once
/// A device_system is a linear_system with its fields on a device.

#include "device/backend.hpp"
#include "solver/device_krylov.hpp"
#include "solver/linear_system.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace onehop {

class device_system final : public linear_system {
 public:
  /// The constructor is collective. `links` are not kept. Throws what device_operator throws, and
  /// usage_error for a solver that does not exist on devices.
  device_system(std::unique_ptr<device::backend> where, const hop_links& links,
                const solve_options& options);

  time_split time_spent() const override;
  double flops() const override { return fine_.flops() + (coarse_ ? coarse_->flops() : 0.0); }
  std::string kernels() const override { return where_->name(); }

 private:
  rhs_values load(field sources) override;
  krylov_results iterate(std::span<const int> numbers, const krylov_limits& limits) override;
  rhs_values finish(std::span<const int> numbers) override;
  void store(solution solutions) override;

  device_operator& iterating() noexcept { return coarse_ ? *coarse_ : fine_; }
  void reshape(int rhs);
  void choose(std::span<const int> numbers);
  void choose_all();
  /// Adds the correction found by the recurrence to x_, in the fine precision, and clears it.
  void add_found();
  /// Sets r_ = b_ - S x_ and returns |r_|^2.
  rhs_values compute_residual(const rhs_mask& which);
  /// These copy fields of both parities from and to the host; each right-hand side crosses the bus
  /// once.
  void write(field canonical, device::field& even, device::field& odd);
  void read(const device::field& even, const device::field& odd, solution canonical);

  std::unique_ptr<device::backend> where_;
  std::unique_ptr<device::stream> work_;
  device_operator fine_;
  std::optional<device_operator> coarse_;
  std::unique_ptr<device_krylov> krylov_;
  device::field b_even_, b_, x_even_, x_, r_;  ///< fields of the fine operator
  std::optional<device::field> found_;  ///< the coarse operator's correction, in fine precision
  rhs_mask open_;
  device::memory canonical_, host_canonical_;
  std::chrono::steady_clock::time_point begin_;  ///< beginning of this solve
  std::chrono::nanoseconds spent_{0};            ///< time of all earlier solves
};

}  // namespace onehop
