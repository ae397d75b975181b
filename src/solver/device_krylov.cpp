#include "solver/device_krylov.hpp"

#include "solver/device_bicgstab.hpp"
#include "solver/device_cg.hpp"
#include "solver/krylov.hpp"

#include <onehop/error.hpp>

#include <cmath>

namespace onehop {
namespace {

using device::stream;

/// Iterations of a recording: so few that little is fired in vain behind the last one, so many that
/// the host's waiting for them costs nothing.
constexpr int iterations_at_once = 8;

}  // namespace

device_krylov::device_krylov(device_operator& op, std::size_t state_bytes)
    : x_(op.hop().make_field()),
      r_(op.hop().make_field()),
      op_(&op),
      state_bytes_(state_bytes),
      state_(op.hop().where(), state_bytes),
      host_state_(op.hop().where(), state_bytes, device::memory::place::host) {}

double device_krylov::residual_norm() const noexcept { return std::sqrt(numbers().residual2); }

void device_krylov::read(stream& on) {
  on.copy_out(host_state_.data(), state_.data(), state_bytes_);
  on.synchronise();
}

void device_krylov::write(stream& on) {
  on.copy_in(state_.data(), host_state_.data(), state_bytes_);
  // The host's copy is written again soon.
  on.synchronise();
}

void device_krylov::record(stream& on) {
  on.begin_recording();
  for (int k = 0; k < iterations_at_once; ++k) iterate(on);
  recorded_ = on.end_recording();
}

void device_krylov::run(stream& on, double threshold, int limit,
                        const std::function<void(int, double)>& progress) {
  const device::krylov_state& now = numbers();
  const double flops = op_->flops();
  const int iterations = now.iterations;
  numbers().threshold2 = threshold * threshold;
  numbers().limit = limit;
  write(on);
  // An exchange of faces waits for other ranks, which cannot be recorded.
  const bool can_record = op_->hop().alone() && op_->hop().shape().context().size() == 1;
  while (now.residual2 > now.threshold2 && now.iterations < limit && now.gave_up == 0) {
    if (can_record) {
      if (recorded_ == nullptr) record(on);
      on.replay(*recorded_);
    } else {
      iterate(on);
    }
    read(on);
    require_finite(now.residual2, "squared residual of the solver", now.iterations);
    if (progress) progress(now.iterations, residual_norm());
  }
  // Of iterations that were of use, however they were fired.
  op_->set_flops(flops + (now.iterations - iterations) * flops_of_iteration());
}

std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op) {
  switch (solver) {
    case solver_kind::cg:
      return std::make_unique<device_cg>(op);
    case solver_kind::bicgstab:
      return std::make_unique<device_bicgstab>(op);
    default:
      throw usage_error("devices solve with cg or bicgstab; use one of them or --device host");
  }
}

}  // namespace onehop
