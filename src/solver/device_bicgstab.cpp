#include "dirac/device/bicgstab_state.hpp"
#include "solver/device_krylov.hpp"

namespace onehop {
namespace {

using device::bicgstab_state;
using device::field;
using device::stream;

class device_bicgstab final : public device_krylov {
 public:
  explicit device_bicgstab(device_operator& op)
      : device_krylov(op, sizeof(bicgstab_state)),
        r0_(keep_field()),
        p_(keep_field()),
        v_(keep_field()),
        t_(keep_field()) {}

 private:
  void begin(stream& on, const rhs_mask& which, const rhs_values& residuals2) override;
  void renew_residual(stream& on, const rhs_mask& which, const rhs_values& residuals2) override;
  void iterate(stream& on) override;
  /// The count per real is 4 for each of three products of fields, 8 for the half step, 20 for the
  /// step and 2 for |r|^2.
  double flops_of_iteration() const override {
    return 2 * op().schur_flops() + 42 * op().flops_per_real();
  }

  field &r0_, &p_, &v_, &t_;
};

void device_bicgstab::begin(stream& on, const rhs_mask& which, const rhs_values& residuals2) {
  op().convert(on, r0_, r_, which);
  op().convert(on, p_, r_, which);
  for_each(which, [&](int n) {
    auto& numbers = numbers_of<bicgstab_state>(n);
    numbers.rho = {residuals2[static_cast<std::size_t>(n)], 0};
    numbers.r0_norm = numbers.residual;
  });
}

void device_bicgstab::renew_residual(stream& on, const rhs_mask& which, const rhs_values&) {
  const std::vector<device::two_sums> rhos = op().dot(on, r0_, r_, which);
  for_each(which,
           [&](int n) { numbers_of<bicgstab_state>(n).rho = rhos[static_cast<std::size_t>(n)]; });
}

void device_bicgstab::iterate(stream& on) {
  auto* const all = states<bicgstab_state>();
  const auto& kernels = hop().kernels();
  const device::bicgstab_job job{x_.view(), r_.view(), r0_.view(), p_.view(), v_.view(),
                                 t_.view(), all,       x_.count(), rhs(),     hop().partials()};
  const auto r0_v = in_each(&bicgstab_state::r0_v);
  const auto r0_s = in_each(&bicgstab_state::r0_s);
  const auto t = in_each(&bicgstab_state::t);
  const auto r = in_each(&bicgstab_state::r);
  op().schur(on, v_, p_, active());
  op().dot(on, r0_, v_, active(), r0_v);
  op().reduce(on, r0_v);
  kernels.bicgstab_begin(on, all, rhs());
  kernels.bicgstab_half(on, job);
  hop().finish_sums(on, rhs(), r0_s);
  op().schur(on, t_, r_, active(), false, t);
  op().dot(on, t_, r_, active(), in_each(&bicgstab_state::t_s));
  op().dot(on, r0_, t_, active(), in_each(&bicgstab_state::r0_t));
  // These four sums are consecutive: r0_s, t, t_s, r0_t.
  op().reduce(on, r0_s, 4);
  kernels.bicgstab_middle(on, all, rhs());
  kernels.bicgstab_step(on, job);
  hop().finish_sums(on, rhs(), r);
  op().reduce(on, r);
  kernels.bicgstab_end(on, all, rhs());
}

}  // namespace

std::unique_ptr<device_krylov> make_device_bicgstab(device_operator& op) {
  return std::make_unique<device_bicgstab>(op);
}

}  // namespace onehop
