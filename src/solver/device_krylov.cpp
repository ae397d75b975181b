#include "solver/device_krylov.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <cstring>

namespace onehop {
namespace {

using device::stream;

/// A captured graph has this many iterations: few enough that little is wasted after the last, and
/// enough that the host's wait for them costs nothing.
constexpr int iterations_at_once = 8;

}  // namespace

device_krylov::device_krylov(device_operator& op, std::size_t state_bytes)
    : x_(op.make_field()),
      r_(op.make_field()),
      op_(&op),
      state_bytes_(state_bytes),
      state_(op.hop().where(), op.hop().how().rhs * state_bytes),
      host_state_(op.hop().where(), op.hop().how().rhs * state_bytes, device::memory::kind::host),
      due_(op.hop().where(), op.hop().how().rhs) {}

device::field& device_krylov::keep_field() {
  return *kept_.emplace_back(std::make_unique<device::field>(op_->make_field()));
}

void device_krylov::reshape(int rhs) {
  recorded_.reset();
  x_.reshape(rhs);
  r_.reshape(rhs);
  for (const auto& field : kept_) field->reshape(rhs);
}

device::krylov_state& device_krylov::numbers(int n) const noexcept {
  return *reinterpret_cast<device::krylov_state*>(host_state_.as<std::byte>() + n * state_bytes_);
}

chosen_rhs device_krylov::active() const noexcept {
  const std::int32_t* const first = &states<device::krylov_state>()->active;
  return {{first, static_cast<std::int64_t>(state_bytes_)}, rhs()};
}

void device_krylov::read(stream& on) {
  on.copy_out(host_state_.data(), state_.data(), state_bytes());
  op_->hop().synchronise(on);
}

void device_krylov::write(stream& on) {
  on.copy_in(state_.data(), host_state_.data(), state_bytes());
  // The host waits, because its copy will soon be overwritten.
  op_->hop().synchronise(on);
}

void device_krylov::record(stream& on) {
  on.begin_recording();
  for (int k = 0; k < iterations_at_once; ++k) iterate(on);
  recorded_ = on.end_recording();
}

std::vector<int> device_krylov::going() const {
  std::vector<int> going;
  for (int n = 0; n < rhs(); ++n) {
    if (numbers(n).is_going()) going.push_back(n);
  }
  return going;
}

int device_krylov::iterations() const {
  int sum = 0;
  for (int n = 0; n < rhs(); ++n) sum += numbers(n).iterations;
  return sum;
}

template <class Test>
std::vector<bool> device_krylov::columns_where(const Test& test) const {
  std::vector<bool> chosen;
  for (int n = 0; n < rhs(); ++n) chosen.push_back(test(numbers(n)));
  return chosen;
}

void device_krylov::advance(stream& on, const krylov_limits& limits) {
  const double flops = op_->flops();
  const int before = iterations();
  for (int n = 0; n < rhs(); ++n) device::begins(numbers(n));
  write(on);
  // An exchange of faces waits for other ranks, which cannot be captured in a graph.
  const bool can_record = op_->hop().alone() && op_->hop().shape().context().size() == 1;
  for (std::vector<int> now = going(); !now.empty(); now = going()) {
    if (can_record) {
      if (recorded_ == nullptr) record(on);
      on.replay(*recorded_);
    } else {
      iterate(on);
    }
    read(on);
    const auto state = [this](int number) -> const iteration_state& { return numbers(number); };
    tell_progress(limits, now, state, "residual of the solver");
  }
  // Only useful iterations are counted, however many were launched.
  op_->set_flops(flops + (iterations() - before) * flops_of_iteration());
}

// Right-hand sides due for an update wait for the others, so that one application of the operator
// serves them all; waiting does not change their result.
krylov_results device_krylov::run(stream& on, const rhs_mask& which, const krylov_limits& limits,
                                  const updater& update) {
  rhs_values residuals2 = op_->norm2(on, r_, which);
  // Zeros represent a right-hand side that does not iterate.
  std::memset(host_state_.data(), 0, state_bytes());
  for_each(which, [&](int n) {
    const double residual = std::sqrt(residuals2[static_cast<std::size_t>(n)]);
    static_cast<iteration_state&>(numbers(n)) =
        limits.first_state(static_cast<std::size_t>(n), residual);
  });
  begin(on, which, residuals2);
  while (true) {
    advance(on, limits);
    due_.choose(on, columns_where([](const iteration_state& now) { return now.update_due != 0; }));
    if (due_.empty()) break;
    release_residual(on, due_);
    residuals2 = update(due_);
    for_each(due_,
             [&](int n) { numbers(n).update(std::sqrt(residuals2[static_cast<std::size_t>(n)])); });
    due_.choose(on, columns_where([](const iteration_state& now) { return now.is_going(); }));
    if (due_.empty()) break;
    renew_residual(on, due_, residuals2);
  }
  krylov_results results;
  for (int n = 0; n < rhs(); ++n) results.push_back(result_of(numbers(n)));
  return results;
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
