#include "transport/base/clock.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "machine/relax.hpp"

namespace onehop {
namespace {

using namespace std::chrono_literals;

constexpr int free_spins = 1000;
constexpr int yields = 2000;
constexpr auto shortest_sleep = 2us;
constexpr auto longest_sleep = 100us;

void sleep_for(std::chrono::nanoseconds time) noexcept {
  const timespec request{0, static_cast<long>(time.count())};
  // A signal may cut the sleep short, but the caller looks again anyway.
  nanosleep(&request, nullptr);
}

}  // namespace

clock::~clock() = default;

bool clock::idle(int turn, time_point until) {
  const int spins = shares_cores_ ? 0 : free_spins;
  if (turn < spins) {
    relax();
    return false;
  }
  if (turn < spins + yields) {
    sched_yield();
  } else {
    const int doublings = std::min((turn - spins - yields) / 8, 16);
    sleep_for(std::min<std::chrono::nanoseconds>(longest_sleep, shortest_sleep * (1 << doublings)));
  }
  return now() >= until;
}

clock::duration clock::look_interval(duration) const noexcept { return 100ms; }

}  // namespace onehop
