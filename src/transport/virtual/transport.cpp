#include "transport/virtual/transport.hpp"

#include "transport/virtual/endpoint.hpp"

namespace onehop::virtual_machine {
namespace {

/// This is more than the looks that rma makes before it waits.
constexpr int patient_looks = 100;

}  // namespace

transport::~transport() {
  if (!forked()) machine_->leave(rank_);
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(machine_, std::move(plan), rank_, window, own);
}

void transport::post(std::uint64_t tag, std::span<const std::byte> message) {
  machine_->note_call(rank_, {.what = call_site::round, .number = tag});
  machine_->charge_compute(rank_);
  machine_->drain(rank_);
  machine_->post(rank_, tag, message, rounds_are_free_);
  machine_->restart_clock(rank_);
}

void transport::poll() {
  machine_->note_look(rank_);
  if (++looks_ >= patient_looks) {
    looks_ = 0;
    machine_->charge_compute(rank_);
    machine_->look(rank_);
    machine_->restart_clock(rank_);
  }
  machine_->throw_if_failed();
}

clock::time_point transport::now() const noexcept {
  return clock::time_point(std::chrono::nanoseconds(machine_->now() / 1000));
}

bool transport::idle(int, clock::time_point until) {
  const auto last = std::chrono::nanoseconds(until.time_since_epoch()).count();
  looks_ = 0;
  machine_->charge_compute(rank_);
  machine_->wait(rank_, last * 1000);
  machine_->restart_clock(rank_);
  return now() >= until;
}

void transport::work(const kernel_cost& cost) {
  machine_->charge_compute(rank_);
  machine_->work(rank_, cost);
  machine_->restart_clock(rank_);
}

}  // namespace onehop::virtual_machine
