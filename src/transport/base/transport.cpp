#include "transport/base/transport.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "gpu/peer_memory.hpp"

namespace onehop {
namespace {

using namespace std::chrono_literals;

constexpr int free_spins = 1000;
constexpr int yields = 2000;
constexpr auto shortest_sleep = 2us;
constexpr auto longest_sleep = 100us;

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

}  // namespace

endpoint::~endpoint() = default;
transport::~transport() = default;

bool transport::idle(int turn, clock::time_point until) {
  // Where ranks share a core, spinning would keep it from the rank that is waited for.
  const int spins = crowded() ? 0 : free_spins;
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
  return clock::now() >= until;
}

transport::clock::duration transport::look_interval(clock::duration) const noexcept {
  return 100ms;
}

gpu::peer_cache& transport::peer_devices() {
  if (!peer_devices_) peer_devices_ = std::make_shared<gpu::peer_cache>();
  return *peer_devices_;
}

void transport::carry(driven& work) {
  drop(work);
  carried_.push_back(&work);
}

void transport::drop(const driven& work) noexcept { std::erase(carried_, &work); }

void transport::drive_all() {
  for (std::size_t i = 0; i < carried_.size();)
    if (carried_[i]->drive())
      ++i;
    else
      carried_.erase(carried_.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace onehop
