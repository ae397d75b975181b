#pragma once
/// CG on a device.

#include "dirac/device/cg_state.hpp"
#include "solver/device_krylov.hpp"

namespace onehop {

/// Conjugate gradient as solver/krylov.hpp has it.
class device_cg final : public device_krylov {
 public:
  explicit device_cg(device_operator& op);

  void begin(device::stream& on) override;
  void release_residual(device::stream& on) override;
  void renew_residual(device::stream& on) override;

 private:
  device::cg_state& numbers() const noexcept { return numbers_of<device::cg_state>(); }
  /// What CG's directions are made of: r, or S^+ r where S is not hermitian.
  const device::field& gradient() const noexcept { return op().hermitian() ? r_ : s_; }
  void renew_gradient(device::stream& on);
  void iterate(device::stream& on) override;
  double flops_of_iteration() const override;

  device::field p_, q_, s_;
};

}  // namespace onehop
