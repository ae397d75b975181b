#include "transport/virtual/processes/rank.hpp"

#include <time.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <onehop/error.hpp>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

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

call_times::call_times(const conductor_block& block, int rank, int ranks) : rank_(rank) {
  const environment variables = environment::read();
  if (block.compute == compute_mode::recorded && !computing_.read(variables.computing, rank))
    throw usage_error(text("cannot read what rank ", rank, " computes from the folder '",
                           variables.computing,
                           "' of ONEHOP_COMPUTING: start the ranks with onehop run"));
  if (block.recorded_run == 0) return;
  char name[20];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(block.recorded_run));
  file_.open(variables.recording, name, rank, ranks, {});
}

call_times::known_site& call_times::known(const call_site& site) {
  const auto [found, fresh] = sites_.try_emplace(site, known_site{-1, -1});
  if (fresh) {
    const std::string name = name_of(site);
    found->second = {file_.site(name), computing_.number_of(name)};
  }
  return found->second;
}

picoseconds call_times::note(const call_site& site, picoseconds computed) {
  const known_site& here = known(site);
  file_.write(text("[\"call\",", here.written, ',', computed / 1000, "]\n"));
  if (computing_.empty()) return 0;
  const picoseconds recorded = computing_.take_before(here.recorded) * 1000;
  computing_.note(here.recorded);
  return recorded;
}

void call_times::end() {
  computing_.tell_unknown(rank_);
  file_.end("{}");
}

rank_process::rank_process(std::shared_ptr<stores::arena> memory, int rank)
    : arena_(std::move(memory)),
      rank_(rank),
      block_(conductor_block::of(control())),
      line_(block_.line(rank)) {
  control().take_place(rank, rank);
  if (block_.compute == compute_mode::counted) counter_.emplace();
  if (block_.compute == compute_mode::recorded || block_.recorded_run != 0)
    calls_.emplace(block_, rank, control().ranks);
  await_turn();
  throw_if_failed();
  restart_clock();
}

// In a job that has failed the conductor gives every rank its turn, after the failure is written.
void rank_process::await_turn() noexcept {
  while (line_.turn.value() == 0 && !control().failure.is_written()) line_.turn.wait_while(0);
}

void rank_process::end_turn(turn_end how) noexcept {
  if (control().failure.is_written()) return;
  line_.end = how;
  line_.turn.set(0);
  block_.bell.add_one();
  if (how != turn_end::leave) await_turn();
}

void rank_process::ask(const request& what) {
  if (line_.request_count == rank_line::most_requests) end_turn(turn_end::go_on);
  // The list of requests is full only in a job that has failed, which leaves them as they are.
  if (line_.request_count == rank_line::most_requests) return;
  line_.requests[line_.request_count++] = what;
}

std::string rank_process::describe(const request& what) {
  line_.described = what;
  end_turn(turn_end::describe);
  throw_if_failed();
  return line_.text.data();
}

void rank_process::throw_if_failed() {
  if (control().failure.is_written()) throw peer_error(control().failure.message());
}

void rank_process::abandon(std::string_view reason) noexcept {
  control().failure.write(rank_, reason);
  block_.bell.add_one();
}

void rank_process::timed_out(std::string_view report) noexcept {
  const std::size_t length = std::min(report.size(), line_.text.size() - 1);
  std::copy_n(report.data(), length, line_.text.data());
  line_.text[length] = '\0';
  end_turn(turn_end::timed_out);
}

void rank_process::leave() noexcept {
  // The time that the rank has computed since its last call is not charged, since it passes for
  // nobody.
  if (calls_) calls_->end();
  end_turn(turn_end::leave);
  control().rank(rank_).state.store(stores::rank_record::left, std::memory_order_release);
}

void rank_process::wait(picoseconds until) {
  if (until <= now()) return;
  line_.until = until;
  end_turn(turn_end::wait);
}

void rank_process::work(const kernel_cost& cost) {
  if (block_.compute != compute_mode::declared) return;
  has_worked_ = true;
  line_.cost = cost;
  end_turn(turn_end::work);
}

void rank_process::drain() {
  if (std::exchange(has_worked_, false)) end_turn(turn_end::drain);
}

picoseconds rank_process::computed() const noexcept {
  if (!counter_) return thread_time();
  return std::llround(static_cast<double>(counter_->count()) * 1e12 /
                      block_.instructions_per_second);
}

picoseconds rank_process::uncharged() const noexcept {
  return charges() ? owed_ + computed() - since_ : 0;
}

void rank_process::stop_clock(picoseconds least) noexcept {
  const picoseconds now = computed(), passed = now - std::exchange(since_, now);
  if (charges()) owed_ += passed;
  if (passed >= least) unnoted_ += passed;
}

void rank_process::charge_compute() {
  if (!charges() && !calls_) return;
  stop_clock(least_look);
  if (counter_) counter_->require_counting();
  if (owed_ < least_charge) return;
  line_.until = std::exchange(owed_, 0);
  end_turn(turn_end::compute);
}

void rank_process::restart_clock() noexcept {
  if (charges() || calls_) since_ = computed();
}

void rank_process::note_call(const call_site& site) {
  if (!calls_) return;
  stop_clock(0);
  line_.until = calls_->note(site, std::exchange(unnoted_, 0));
  if (line_.until > 0) end_turn(turn_end::compute);
  restart_clock();
}

void rank_process::note_look() noexcept {
  if (!calls_) return;
  stop_clock(least_look);
  restart_clock();
}

}  // namespace onehop::virtual_machine
