#include "solver/device_cg.hpp"

#include "dirac/device/sums.hpp"
#include "solver/krylov.hpp"

#include <cmath>

namespace onehop {
namespace {

using device::cg_state;
using device::field;
using device::memory;
using device::stream;
using device::two_sums;

constexpr auto on_host = memory::place::host;
/// Iterations of a recording: so few that little is fired in vain behind the last one, so many that
/// the host's waiting for them costs nothing.
constexpr int iterations_at_once = 8;

}  // namespace

device_cg::device_cg(device_operator& op)
    : op_(&op),
      x_(op.hop().make_field()),
      r_(op.hop().make_field()),
      p_(op.hop().make_field()),
      q_(op.hop().make_field()),
      s_(op.hop().make_field()),
      state_(op.hop().where(), sizeof(cg_state)),
      host_state_(op.hop().where(), sizeof(cg_state), on_host) {}

double device_cg::residual_norm() const noexcept { return std::sqrt(numbers().residual2); }

void device_cg::read(stream& on) {
  on.copy_out(&numbers(), state(), sizeof(cg_state));
  on.synchronise();
}

void device_cg::write(stream& on) {
  on.copy_in(state(), &numbers(), sizeof(cg_state));
  // The host's copy is written again soon.
  on.synchronise();
}

void device_cg::renew_gradient(stream& on) {
  numbers().residual2 = op_->norm2(on, r_);
  if (op_->hermitian()) {
    numbers().gamma = numbers().residual2;
    return;
  }
  op_->schur(on, s_, r_, true);
  numbers().gamma = op_->norm2(on, s_);
}

void device_cg::begin(stream& on) {
  numbers() = {};
  numbers().hermitian = op_->hermitian() ? 1 : 0;
  renew_gradient(on);
  op_->convert(on, p_, gradient());
  write(on);
}

void device_cg::release_residual(stream& on) { op_->axpy(on, p_, -1.0, gradient()); }

void device_cg::renew_residual(stream& on) {
  renew_gradient(on);
  op_->axpy(on, p_, 1.0, gradient());
  write(on);
}

void device_cg::iterate(stream& on) {
  const auto& kernels = op_->hop().kernels();
  op_->schur(on, q_, p_, false, &state()->curvature);
  kernels.cg_begin(on, state());
  device::field_job step{};
  step.y = x_.view();
  step.x = p_.view();
  step.z = r_.view();
  step.w = q_.view();
  step.a.where = &state()->alpha;
  step.count = x_.count();
  step.components = x_.components();
  step.partials = op_->hop().partials();
  step.active = &state()->active;
  kernels.cg_update(on, step);
  kernels.finish_sums(on,
                      {op_->hop().partials(), device::groups_of(x_.count()), &state()->residual});
  op_->reduce(on, &state()->residual);
  if (!op_->hermitian()) op_->schur(on, s_, r_, true, &state()->next);
  kernels.cg_end(on, state());
  device::field_job turn{};
  turn.y = p_.view();
  turn.x = gradient().view();
  turn.a.value = 1;
  turn.b.where = &state()->beta;
  turn.count = p_.count();
  turn.components = p_.components();
  turn.active = &state()->active;
  kernels.combine(on, turn);
}

void device_cg::record(stream& on) {
  on.begin_recording();
  for (int k = 0; k < iterations_at_once; ++k) iterate(on);
  recorded_ = on.end_recording();
}

void device_cg::run(stream& on, double threshold, int limit,
                    const std::function<void(int, double)>& progress) {
  const double flops = op_->flops();
  const int iterations = numbers().iterations;
  numbers().threshold2 = threshold * threshold;
  numbers().limit = limit;
  write(on);
  // An exchange of faces waits for other ranks, which cannot be recorded.
  const bool can_record = op_->hop().alone() && op_->hop().shape().context().size() == 1;
  while (numbers().residual2 > numbers().threshold2 && numbers().iterations < limit) {
    if (can_record) {
      if (recorded_ == nullptr) record(on);
      on.replay(*recorded_);
    } else {
      iterate(on);
    }
    read(on);
    require_finite(numbers().residual2, "squared residual of CG", numbers().iterations);
    if (progress) progress(numbers().iterations, residual_norm());
  }
  // Of iterations that were of use, however they were fired: S, and S^+ where that is another; x, r
  // and |r|^2 take 6 a real, p takes 2.
  const double one = (op_->hermitian() ? 1 : 2) * op_->schur_flops() + 8 * op_->flops_per_real();
  op_->set_flops(flops + (numbers().iterations - iterations) * one);
}

}  // namespace onehop
