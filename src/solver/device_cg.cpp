#include "dirac/device/cg_state.hpp"
#include "solver/device_krylov.hpp"

namespace onehop {
namespace {

using device::cg_state;
using device::field;
using device::stream;

class device_cg final : public device_krylov {
 public:
  explicit device_cg(device_operator& op)
      : device_krylov(op, sizeof(cg_state)), p_(keep_field()), q_(keep_field()), s_(keep_field()) {}

 private:
  void begin(stream& on, const rhs_mask& which, const rhs_values& residuals2) override;
  void release_residual(stream& on, const rhs_mask& which) override {
    op().axpy(on, p_, -1.0, gradient(), which);
  }
  void renew_residual(stream& on, const rhs_mask& which, const rhs_values& residuals2) override {
    renew_gradient(on, which, residuals2);
    op().axpy(on, p_, 1.0, gradient(), which);
  }
  /// Returns the field from which CG makes its directions: r, or S^+ r if S is not hermitian.
  const field& gradient() const noexcept { return op().hermitian() ? r_ : s_; }
  void renew_gradient(stream& on, const rhs_mask& which, const rhs_values& residuals2);
  void iterate(stream& on) override;
  /// The count is S, and S^+ if that differs from S; x, r and |r|^2 take 6 per real, p takes 2.
  double flops_of_iteration() const override {
    return (op().hermitian() ? 1 : 2) * op().schur_flops() + 8 * op().flops_per_real();
  }

  field &p_, &q_, &s_;
};

void device_cg::renew_gradient(stream& on, const rhs_mask& which, const rhs_values& residuals2) {
  rhs_values gammas = residuals2;
  if (!op().hermitian()) {
    op().schur(on, s_, r_, which, true);
    gammas = op().norm2(on, s_, which);
  }
  for_each(which,
           [&](int n) { numbers_of<cg_state>(n).gamma = gammas[static_cast<std::size_t>(n)]; });
}

void device_cg::begin(stream& on, const rhs_mask& which, const rhs_values& residuals2) {
  for_each(which, [&](int n) { numbers_of<cg_state>(n).hermitian = op().hermitian() ? 1 : 0; });
  renew_gradient(on, which, residuals2);
  op().convert(on, p_, gradient(), which);
}

void device_cg::iterate(stream& on) {
  auto* const all = states<cg_state>();
  const auto& kernels = hop().kernels();
  const auto curvature = in_each(&cg_state::curvature);
  op().schur(on, q_, p_, active(), false, curvature);
  op().reduce(on, curvature);
  kernels.cg_begin(on, all, rhs());
  device::field_job step{};
  step.y = x_.view();
  step.x = p_.view();
  step.z = r_.view();
  step.w = q_.view();
  step.a.where = {&all->alpha, sizeof(cg_state)};
  step.count = x_.count();
  step.rhs = rhs();
  step.components = x_.components();
  step.partials = hop().partials();
  step.active = active().active;
  kernels.cg_update(on, step);
  const auto residual = in_each(&cg_state::residual);
  hop().finish_sums(on, rhs(), residual);
  op().reduce(on, residual);
  if (!op().hermitian()) {
    const auto next = in_each(&cg_state::next);
    op().schur(on, s_, r_, active(), true, next);
    op().reduce(on, next);
  }
  kernels.cg_end(on, all, rhs());
  device::field_job direction_update{};
  direction_update.y = p_.view();
  direction_update.x = gradient().view();
  direction_update.a.value = 1;
  direction_update.b.where = {&all->beta, sizeof(cg_state)};
  direction_update.count = p_.count();
  direction_update.rhs = rhs();
  direction_update.components = p_.components();
  direction_update.active = active().active;
  kernels.combine(on, direction_update);
}

}  // namespace

std::unique_ptr<device_krylov> make_device_cg(device_operator& op) {
  return std::make_unique<device_cg>(op);
}

}  // namespace onehop
