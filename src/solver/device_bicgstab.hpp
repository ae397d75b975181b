#pragma once
/// BiCGStab on a device.

#include "dirac/device/bicgstab_state.hpp"
#include "solver/device_krylov.hpp"

namespace onehop {

/// As solver/krylov.hpp has it, but for |r|^2, which is summed while r is written.
class device_bicgstab final : public device_krylov {
 public:
  explicit device_bicgstab(device_operator& op);

  void begin(device::stream& on) override;
  void renew_residual(device::stream& on) override;

 private:
  device::bicgstab_state& numbers() const noexcept { return numbers_of<device::bicgstab_state>(); }
  /// r is the first residual of new directions.
  void start_anew(device::stream& on);
  void iterate(device::stream& on) override;
  double flops_of_iteration() const override;

  device::field r0_, p_, v_, t_;
};

}  // namespace onehop
