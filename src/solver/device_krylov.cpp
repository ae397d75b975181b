#include "solver/device_krylov.hpp"

#include "solver/krylov.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <limits>

namespace onehop {
namespace {

using device::stream;

/// A recording has this many iterations: so few that little is fired in vain behind the last one,
/// so many that the host's waiting for them costs nothing.
constexpr int iterations_at_once = 8;

}  // namespace

device_krylov::device_krylov(device_operator& op, std::size_t state_bytes)
    : x_(op.make_field()),
      r_(op.make_field()),
      op_(&op),
      state_bytes_(state_bytes),
      state_(op.hop().where(), op.hop().how().rhs * state_bytes),
      host_state_(op.hop().where(), op.hop().how().rhs * state_bytes, device::memory::place::host) {
}

device::field& device_krylov::keep_field() {
  return *kept_.emplace_back(std::make_unique<device::field>(op_->make_field()));
}

void device_krylov::reshape(int columns) {
  recorded_.reset();
  x_.reshape(columns);
  r_.reshape(columns);
  for (const auto& field : kept_) field->reshape(columns);
}

device::krylov_state& device_krylov::numbers(int column) const noexcept {
  return *reinterpret_cast<device::krylov_state*>(host_state_.as<std::byte>() +
                                                  column * state_bytes_);
}

chosen_rhs device_krylov::active() const noexcept {
  const std::int32_t* const first = &states<device::krylov_state>()->active;
  return {{first, static_cast<std::int64_t>(state_bytes_)}, columns()};
}

double device_krylov::residual_norm(int column) const noexcept {
  return std::sqrt(numbers(column).residual2);
}

void device_krylov::read(stream& on) {
  on.copy_out(host_state_.data(), state_.data(), state_bytes());
  op_->hop().synchronise(on);
}

void device_krylov::write(stream& on) {
  on.copy_in(state_.data(), host_state_.data(), state_bytes());
  // The host waits, since its copy is written again soon.
  op_->hop().synchronise(on);
}

void device_krylov::record(stream& on) {
  on.begin_recording();
  for (int k = 0; k < iterations_at_once; ++k) iterate(on);
  recorded_ = on.end_recording();
}

void device_krylov::update_by(const update_rule& rule, const rhs_mask& which) {
  for_each(which, [&](int column) {
    numbers(column).rule = rule;
    numbers(column).updates = reliable_updates(residual_norm(column));
  });
}

bool device_krylov::updated(int column, double norm) {
  device::krylov_state& now = numbers(column);
  if (now.update_due == 0) return false;
  now.update_due = 0;
  now.residual2 = norm * norm;
  now.updates.updated(norm);
  return device::is_going(now);
}

void device_krylov::report(const std::vector<goal>& goals, const std::vector<bool>& went,
                           const std::function<void(int, int, double)>& progress) const {
  int farthest = -1;
  double distance = -1;
  for (int column = 0; column < columns(); ++column) {
    const auto place = static_cast<std::size_t>(column);
    if (!went[place]) continue;
    require_finite(numbers(column).residual2, "squared residual of the solver", iterations(column));
    // Where no residual is small enough all are taken as equally far.
    const double here = residual_norm(column) /
                        std::max(goals[place].threshold, std::numeric_limits<double>::min());
    if (here <= distance) continue;
    distance = here;
    farthest = column;
  }
  if (progress) progress(farthest, iterations(farthest), residual_norm(farthest));
}

void device_krylov::run(stream& on, const std::vector<goal>& goals, const rhs_mask& which,
                        const std::function<void(int, int, double)>& progress) {
  const double flops = op_->flops();
  int before = 0;
  std::vector<bool> going(which.columns().size());
  const auto look = [&] {
    bool any = false;
    for (int column = 0; column < columns(); ++column) {
      const auto place = static_cast<std::size_t>(column);
      going[place] = which.has(place) && device::is_going(numbers(column));
      any = any || going[place];
    }
    return any;
  };
  for (int column = 0; column < columns(); ++column) numbers(column).active = 0;
  for_each(which, [&](int column) {
    device::krylov_state& now = numbers(column);
    const goal& end = goals[static_cast<std::size_t>(column)];
    now.threshold2 = end.threshold * end.threshold;
    now.limit = end.limit;
    now.active = device::is_going(now) ? 1 : 0;
    before += now.iterations;
  });
  write(on);
  // An exchange of faces waits for other ranks, which cannot be recorded.
  const bool can_record = op_->hop().alone() && op_->hop().shape().context().size() == 1;
  while (look()) {
    if (can_record) {
      if (recorded_ == nullptr) record(on);
      on.replay(*recorded_);
    } else {
      iterate(on);
    }
    read(on);
    report(goals, going, progress);
  }
  int after = 0;
  for_each(which, [&](int column) { after += iterations(column); });
  // Only iterations that were of use are counted, however many were fired.
  op_->set_flops(flops + (after - before) * flops_of_iteration());
}

std::unique_ptr<device_krylov> make_device_krylov(solver_kind solver, device_operator& op) {
  switch (solver) {
    case solver_kind::cg:
      return make_device_cg(op);
    case solver_kind::bicgstab:
      return make_device_bicgstab(op);
    default:
      throw usage_error("devices solve with cg or bicgstab; use one of them or --device host");
  }
}

}  // namespace onehop
