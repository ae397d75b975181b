#include "solver/device_bicgstab.hpp"

namespace onehop {

using device::bicgstab_state;
using device::stream;

device_bicgstab::device_bicgstab(device_operator& op)
    : device_krylov(op, sizeof(bicgstab_state)),
      r0_(op.hop().make_field()),
      p_(op.hop().make_field()),
      v_(op.hop().make_field()),
      t_(op.hop().make_field()) {}

void device_bicgstab::start_anew(stream& on) {
  op().convert(on, r0_, r_);
  op().convert(on, p_, r_);
  numbers().residual2 = op().norm2(on, r_);
  numbers().rho = {numbers().residual2, 0};
  numbers().r0_norm2 = numbers().residual2;
  numbers().gave_up = 0;
  write(on);
}

void device_bicgstab::begin(stream& on) {
  numbers() = {};
  start_anew(on);
}

void device_bicgstab::renew_residual(stream& on) {
  if (numbers().gave_up != 0) {
    start_anew(on);
    return;
  }
  numbers().residual2 = op().norm2(on, r_);
  numbers().rho = op().dot(on, r0_, r_);
  write(on);
}

void device_bicgstab::iterate(stream& on) {
  bicgstab_state* s = state<bicgstab_state>();
  const auto& kernels = hop().kernels();
  const device::bicgstab_job job{x_.view(), r_.view(), r0_.view(), p_.view(),       v_.view(),
                                 t_.view(), s,         x_.count(), hop().partials()};
  op().schur(on, v_, p_);
  op().dot(on, r0_, v_, &s->r0_v);
  op().reduce(on, &s->r0_v);
  kernels.bicgstab_begin(on, s);
  kernels.bicgstab_half(on, job);
  hop().finish_sums(on, &s->r0_s);
  op().schur(on, t_, r_, false, &s->t);
  op().dot(on, t_, r_, &s->t_s);
  op().dot(on, r0_, t_, &s->r0_t);
  // They lie one behind the other: r0_s, t, t_s, r0_t.
  op().reduce(on, &s->r0_s, 4);
  kernels.bicgstab_middle(on, s);
  kernels.bicgstab_step(on, job);
  hop().finish_sums(on, &s->r);
  op().reduce(on, &s->r);
  kernels.bicgstab_end(on, s);
}

/// Three products of fields take 4 a real, half a step 8, the step 20 and |r|^2 2.
double device_bicgstab::flops_of_iteration() const {
  return 2 * op().schur_flops() + 42 * op().flops_per_real();
}

}  // namespace onehop
