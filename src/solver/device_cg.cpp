#include "solver/device_cg.hpp"

namespace onehop {

using device::cg_state;
using device::stream;

device_cg::device_cg(device_operator& op)
    : device_krylov(op, sizeof(cg_state)),
      p_(op.hop().make_field()),
      q_(op.hop().make_field()),
      s_(op.hop().make_field()) {}

void device_cg::renew_gradient(stream& on) {
  numbers().residual2 = op().norm2(on, r_);
  if (op().hermitian()) {
    numbers().gamma = numbers().residual2;
    return;
  }
  op().schur(on, s_, r_, true);
  numbers().gamma = op().norm2(on, s_);
}

void device_cg::begin(stream& on) {
  numbers() = {};
  numbers().hermitian = op().hermitian() ? 1 : 0;
  renew_gradient(on);
  op().convert(on, p_, gradient());
  write(on);
}

void device_cg::release_residual(stream& on) { op().axpy(on, p_, -1.0, gradient()); }

void device_cg::renew_residual(stream& on) {
  renew_gradient(on);
  op().axpy(on, p_, 1.0, gradient());
  write(on);
}

void device_cg::iterate(stream& on) {
  cg_state* s = state<cg_state>();
  const auto& kernels = hop().kernels();
  op().schur(on, q_, p_, false, &s->curvature);
  op().reduce(on, &s->curvature);
  kernels.cg_begin(on, s);
  device::field_job step{};
  step.y = x_.view();
  step.x = p_.view();
  step.z = r_.view();
  step.w = q_.view();
  step.a.where = &s->alpha;
  step.count = x_.count();
  step.components = x_.components();
  step.partials = hop().partials();
  step.active = &s->active;
  kernels.cg_update(on, step);
  hop().finish_sums(on, &s->residual);
  op().reduce(on, &s->residual);
  if (!op().hermitian()) {
    op().schur(on, s_, r_, true, &s->next);
    op().reduce(on, &s->next);
  }
  kernels.cg_end(on, s);
  device::field_job turn{};
  turn.y = p_.view();
  turn.x = gradient().view();
  turn.a.value = 1;
  turn.b.where = &s->beta;
  turn.count = p_.count();
  turn.components = p_.components();
  turn.active = &s->active;
  kernels.combine(on, turn);
}

/// S, and S^+ where that is another; x, r and |r|^2 take 6 a real, p takes 2.
double device_cg::flops_of_iteration() const {
  return (op().hermitian() ? 1 : 2) * op().schur_flops() + 8 * op().flops_per_real();
}

}  // namespace onehop
