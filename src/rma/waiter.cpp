#include "rma/waiter.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/wire.hpp"

namespace onehop {
namespace {

using namespace std::chrono_literals;

constexpr int free_spins = 1000;
constexpr int crowded_spins = 50;
constexpr int yields = 2000;
constexpr auto shortest_sleep = 2us;
constexpr auto longest_sleep = 100us;
constexpr auto look_interval = 100ms;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void sleep_for(std::chrono::nanoseconds time) noexcept {
  const timespec request{0, static_cast<long>(time.count())};
  // A signal may cut the sleep short; the caller looks again anyway.
  nanosleep(&request, nullptr);
}

const missing_piece* first_departed(const context& ctx, const wait_report& wait) {
  const auto departed = std::ranges::find_if(
      wait.missing, [&](const missing_piece& piece) { return ctx.wire().left(piece.rank); });
  return departed == wait.missing.end() ? nullptr : &*departed;
}

std::string list(const wait_report& wait) {
  std::string all;
  for (const missing_piece& piece : wait.missing) all += (all.empty() ? "" : "; ") + piece.what;
  return all;
}

}  // namespace

waiter::waiter(const context& ctx)
    : ctx_(ctx),
      spins_(ctx.wire().crowded() ? crowded_spins : free_spins),
      begin_(clock::now()),
      next_look_(begin_ + std::min<clock::duration>(look_interval, ctx.deadline())) {}

bool waiter::pass() {
  ctx_.wire().poll();
  ++turn_;
  if (turn_ <= spins_) {
    relax();
    return false;
  }
  if (turn_ <= spins_ + yields) {
    sched_yield();
  } else {
    const int doublings = std::min((turn_ - spins_ - yields) / 8, 16);
    sleep_for(std::min<std::chrono::nanoseconds>(longest_sleep, shortest_sleep * (1 << doublings)));
  }
  return clock::now() >= next_look_;
}

void waiter::look_around(const std::function<wait_report()>& report) {
  ctx_.wire().probe();
  wait_report wait = report();
  if (first_departed(ctx_, wait) != nullptr) {
    // What the departed sent last may have come between the report and the look at it.
    wait = report();
    if (const missing_piece* gone = first_departed(ctx_, wait))
      throw peer_error(text("rank ", gone->rank, " left the job while rank ", ctx_.rank(),
                            " waits ", wait.activity, ": ", gone->what,
                            "; every rank must take part until the end"));
  }
  const auto now = clock::now();
  next_look_ = std::min(now + look_interval, begin_ + ctx_.deadline());
  if (now < begin_ + ctx_.deadline() || wait.missing.empty()) return;
  const std::chrono::duration<double> waited = now - begin_;
  throw timeout_error(text("rank ", ctx_.rank(), " of ", ctx_.size(), " waited ", waited.count(),
                           " s ", wait.activity, ": ", list(wait),
                           "; find out what those ranks do, or raise ONEHOP_DEADLINE_S"));
}

}  // namespace onehop
