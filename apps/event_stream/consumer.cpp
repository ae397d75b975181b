#include "consumer.hpp"

#include <onehop/kernel_cost.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace event_stream {
namespace {

/// One kernel fits the rings of a batch. For each hit it does two sums for the mean, twelve
/// operations for the algebraic circle and thirty for each of two steps; for each event it solves
/// three linear systems and does the remaining operations. Each test whether a hit is near a circle
/// takes eight. The kernel reads the fragments and writes the decisions.
onehop::kernel_cost fit_work(std::uint64_t events, std::uint64_t hits, std::uint64_t bytes,
                             std::uint64_t looks) {
  return {.flops = 75.0 * static_cast<double>(hits) + 200.0 * static_cast<double>(events) +
                   8.0 * static_cast<double>(looks),
          .bytes = static_cast<double>(bytes) + 16.0 * static_cast<double>(events)};
}

}  // namespace

consumer::consumer(const onehop::context& job, const event_table& table, const stream_settings& how,
                   wire fragments, std::unique_ptr<datagram_sender> decisions)
    : job_(job),
      how_(how),
      number_(static_cast<std::uint64_t>(job.rank() - how.sources)),
      in_(std::move(fragments.receiver)),
      out_(std::move(decisions)),
      builder_(how.sources, how.by_load ? 1 : how.consumers,
               how.by_load ? 0 : static_cast<int>(number_), how.payload_bytes),
      trigger_(table, how.batch),
      has_stalled_(how.stall_ms == 0 || number_ > 0) {}

consumer_account consumer::run(const run_clock& clock) {
  std::span<const std::byte> datagram;
  for (int turn = 0;;) {
    if (!has_stalled_) stall(clock);
    const auto state = in_->try_next(datagram);
    if (state == datagram_receiver::state::datagram) {
      take(datagram, clock);
      turn = 0;
      continue;
    }
    decide(clock);
    send_decisions();
    if (state == datagram_receiver::state::ended) break;
    out_->push();
    clock.idle(turn++, clock.now_ns() + look_again_ns);
  }
  for (int turn = 0; !out_->try_close(); ++turn) clock.idle(turn, clock.now_ns() + look_again_ns);
  account_.fragments = builder_.fragments();
  account_.bytes = builder_.bytes();
  account_.faults = builder_.faults();
  account_.trigger = trigger_.account();
  return account_;
}

void consumer::take(std::span<const std::byte> datagram, const run_clock& clock) {
  batch_bytes_ += datagram.size();
  while (!datagram.empty()) {
    const built_event* event = builder_.take(datagram);
    if (event == nullptr) continue;
    trigger_.add(*event);
    if (trigger_.full()) decide(clock);
  }
}

void consumer::decide(const run_clock& clock) {
  if (trigger_.empty()) return;
  const std::uint64_t begin_ns = clock.now_ns();
  const std::uint64_t looks_before = trigger_.looks();
  const std::span<const decision> made = trigger_.decide();
  job_.work(fit_work(made.size(), trigger_.hits(), std::exchange(batch_bytes_, 0),
                     trigger_.looks() - looks_before));
  for (const decision& one : made) account_.waited_ns += begin_ns - std::min(begin_ns, one.time_ns);
  if (how_.service_us > 0)
    clock.wait_until(begin_ns + static_cast<std::uint64_t>(how_.service_us * 1000 *
                                                           static_cast<double>(made.size())));
  const std::uint64_t end_ns = how_.service_us > 0 ? clock.now_ns() : begin_ns;
  if (open_.bytes.empty()) since_ns_ = end_ns;
  tell(made, clock);
  trigger_.clear();
  // Decisions are sent together, like fragments, until the first of them is old.
  if (static_cast<double>(end_ns - since_ns_) < how_.gather_us * 1000) return;
  send_decisions();
  out_->push();
}

void consumer::tell(std::span<const decision> made, const run_clock& clock) {
  for (const decision& one : made) {
    for (int turn = 0; open_.bytes.empty(); ++turn) {
      if (turn > 0) clock.idle(turn, clock.now_ns() + look_again_ns);
      open_ = out_->try_open(0);
      used_ = sizeof number_;
    }
    if (used_ == sizeof number_) std::memcpy(open_.bytes.data(), &number_, sizeof number_);
    std::memcpy(open_.bytes.data() + used_, &one, sizeof one);
    used_ += sizeof one;
    if (used_ + sizeof one > open_.bytes.size()) send_decisions();
  }
}

void consumer::send_decisions() {
  if (open_.bytes.empty()) return;
  out_->send(open_, used_);
  open_ = {};
}

void consumer::stall(const run_clock& clock) {
  const std::uint64_t begin_ns = how_.end_ns() / 2;
  if (clock.now_ns() < begin_ns) return;
  clock.wait_until(begin_ns + static_cast<std::uint64_t>(how_.stall_ms * 1e6));
  has_stalled_ = true;
}

}  // namespace event_stream
