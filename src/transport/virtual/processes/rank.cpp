#include "transport/virtual/processes/rank.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"
#include "transport/virtual/processes/group.hpp"

namespace onehop::virtual_machine {
namespace {

/// A rank that waits for its turn sleeps this long before it looks whether the job has failed.
constexpr std::chrono::milliseconds look_interval{100};
/// A rank's time is charged once it is more than passing a turn on is worth.
constexpr picoseconds least_charge = 1'000'000;
/// A shorter time between two looks for something is that of the looks.
constexpr picoseconds least_look = 1'000'000;

picoseconds thread_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (picoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec) * 1000;
}

}  // namespace

remote_conductor::remote_conductor(std::shared_ptr<stores::arena> memory, int rank)
    : conductor(conductor_block::of(control_in(*memory)).name.data(),
                conductor_block::of(control_in(*memory)).rounds(control_in(*memory).ranks)),
      arena_(std::move(memory)),
      block_(conductor_block::of(control())),
      line_(block_.line(rank)),
      windows_(*arena_, rank, block_.windows, block_.messages) {
  control().take_place(rank, rank);
  if (block_.compute == compute_mode::counted) counter_.emplace();
  if (block_.compute == compute_mode::recorded || block_.recorded_run != 0)
    calls_.emplace(block_, rank, control().ranks);
  await_turn();
  throw_if_failed();
  restart_clock(rank);
}

stores::control_block& remote_conductor::control() const noexcept { return control_in(*arena_); }

void remote_conductor::await_turn() noexcept {
  while (line_.turn.value() == 0 && !control().failure.is_written())
    line_.turn.wait_while(0, look_interval);
}

void remote_conductor::end_turn(turn_end how) noexcept {
  if (control().failure.is_written()) return;
  line_.end = how;
  line_.turn.set(0);
  block_.bell.add_one();
  if (how != turn_end::leave) await_turn();
}

void remote_conductor::ask(const request& what) {
  if (line_.request_count == rank_line::most_requests) end_turn(turn_end::go_on);
  // The list of requests is full only in a job that has failed, which leaves them as they are.
  if (line_.request_count == rank_line::most_requests) return;
  line_.requests[line_.request_count++] = what;
}

void remote_conductor::throw_if_failed() {
  if (control().failure.is_written()) throw peer_error(control().failure.message());
}

bool remote_conductor::left(int rank) const noexcept {
  return block_.line(rank).departed != 0 && is_silent();
}

void remote_conductor::abandon(int rank, std::string_view reason) noexcept {
  control().failure.write(rank, reason);
  block_.bell.add_one();
}

void remote_conductor::timed_out(int, std::string_view report) noexcept {
  const std::size_t length = std::min(report.size(), line_.text.size() - 1);
  std::copy_n(report.data(), length, line_.text.data());
  line_.text[length] = '\0';
  end_turn(turn_end::timed_out);
}

void remote_conductor::leave(int rank) noexcept {
  // The time that the rank has computed since its last call is not charged, since it passes for
  // nobody.
  if (calls_) calls_->end();
  end_turn(turn_end::leave);
  control().rank(rank).state.store(stores::rank_record::left, std::memory_order_release);
}

memory_id remote_conductor::expose(int, std::span<const std::size_t> bytes_of_rank) {
  return windows_.expose(bytes_of_rank);
}

void remote_conductor::withdraw(int, memory_id memory) noexcept {
  ask({.what = request::forget, .own = memory});
  // The conductor must not write there any more.
  end_turn(turn_end::go_on);
  windows_.withdraw(memory);
}

memory_id remote_conductor::divide(int rank, const partition& how) {
  return divide_range(windows_, rank, how, how.members());
}

std::shared_ptr<conductor> remote_conductor::join_group(int rank, memory_id divided,
                                                        const partition& how) {
  const std::span<std::byte> range = share(divided, how.members().front());
  return std::make_shared<remote_group>(
      *this, stores::part_of(arena_, offset_of(range.data()), range.size()), how.number_of(rank));
}

void remote_conductor::add_chain(int rank, memory_id own) {
  ask({.what = request::add_chain, .own = own, .own_offset = offset_of(share(own, rank).data())});
}

void remote_conductor::begin_exchange(int, memory_id own) {
  ask({.what = request::begin_exchange, .own = own});
}

void remote_conductor::fire(int, memory_id own, const fired_put& what) {
  ask({.what = request::fire, .own = own, .put = what});
}

std::string remote_conductor::describe(int, memory_id own, std::size_t put) {
  return describe({.what = request::fire, .own = own, .put = {.put = put}});
}

std::string remote_conductor::describe(const request& what) {
  line_.described = what;
  end_turn(turn_end::describe);
  throw_if_failed();
  return line_.text.data();
}

void remote_conductor::wait(int, picoseconds until) {
  if (until <= now()) return;
  line_.until = until;
  end_turn(turn_end::wait);
}

void remote_conductor::look(int) { end_turn(turn_end::look); }

void remote_conductor::work(int, const kernel_cost& cost) {
  if (block_.compute != compute_mode::declared) return;
  has_worked_ = true;
  line_.cost = cost;
  end_turn(turn_end::work);
}

void remote_conductor::drain(int) {
  if (std::exchange(has_worked_, false)) end_turn(turn_end::drain);
}

picoseconds remote_conductor::computed() const noexcept {
  if (!counter_) return thread_time();
  return std::llround(static_cast<double>(counter_->count()) * 1e12 /
                      block_.instructions_per_second);
}

picoseconds remote_conductor::uncharged() const noexcept {
  return charges() ? owed_ + computed() - since_ : 0;
}

void remote_conductor::stop_clock(picoseconds least) noexcept {
  const picoseconds now = computed(), passed = now - std::exchange(since_, now);
  if (charges()) owed_ += passed;
  if (passed >= least) unnoted_ += passed;
}

void remote_conductor::charge_compute(int) {
  if (!charges() && !calls_) return;
  stop_clock(least_look);
  if (counter_) counter_->require_counting();
  if (owed_ < least_charge) return;
  line_.until = std::exchange(owed_, 0);
  end_turn(turn_end::compute);
}

void remote_conductor::restart_clock(int) noexcept {
  if (charges() || calls_) since_ = computed();
}

void remote_conductor::note_call(int rank, const call_site& site) {
  if (!calls_) return;
  stop_clock(0);
  line_.until = calls_->note(site, std::exchange(unnoted_, 0));
  if (line_.until > 0) end_turn(turn_end::compute);
  restart_clock(rank);
}

void remote_conductor::note_look(int rank) noexcept {
  if (!calls_) return;
  stop_clock(least_look);
  restart_clock(rank);
}

std::byte* remote_conductor::message_of(int rank, unsigned parity) {
  return arena_->base() + block_.message_offset(rank, parity);
}

std::byte* remote_conductor::message_memory(int rank, unsigned parity, std::size_t bytes) {
  const std::size_t wanted = stores::control_block::round_up(bytes);
  std::size_t& there = reserved_[parity];
  if (wanted > there) {
    arena_->reserve(block_.message_offset(rank, parity) + there, wanted - there);
    there = wanted;
  }
  return message_of(rank, parity);
}

void remote_conductor::enter_round(int) { ask({.what = request::enter_round}); }

}  // namespace onehop::virtual_machine
