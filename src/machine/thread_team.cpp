#include "machine/thread_team.hpp"

#include "base/text.hpp"
#include "machine/cores.hpp"
#include "machine/relax.hpp"

#include <onehop/error.hpp>

#include <chrono>
#include <system_error>

namespace onehop {
namespace {

/// A thread looks for work for about this long before it sleeps: longer than the time between two
/// kernels of a solve, shorter than a scheduler slice.
constexpr std::chrono::microseconds patience(50);

/// Spins until `found`; returns false if patience runs out.
template <class Found>
bool look(const Found& found) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    for (int k = 0; k < 64; ++k) {
      if (found()) return true;
      relax();
    }
    if (std::chrono::steady_clock::now() - begin > patience) return false;
  }
}

}  // namespace

thread_team::thread_team(int threads) {
  try {
    for (int k = 1; k < threads; ++k) workers_.emplace_back([this, k] { live(k); });
  } catch (const std::system_error& error) {
    const std::size_t started = workers_.size() + 1;
    stop();
    throw resource_error(text("the system started ", started, " of ", threads,
                              " threads and no more: ", error.what(), "; use fewer --threads"));
  }
}

thread_team::~thread_team() { stop(); }

void thread_team::stop() noexcept {
  ending_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void thread_team::live(int thread) {
  // The thread that made the team may share a core, and its team must not.
  cores::allow(0, cores::of_process());
  std::uint32_t seen = 0;
  for (;;) {
    const auto next = [&] { return round_.load(std::memory_order_acquire) != seen; };
    if (!look(next)) round_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (ending_) return;
    function_(work_, thread);
    busy_.fetch_sub(1, std::memory_order_release);
    busy_.notify_one();
  }
}

void thread_team::run_on_all(call function, const void* work) {
  function_ = function;
  work_ = work;
  busy_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  function(work, 0);
  if (look([this] { return busy_.load(std::memory_order_acquire) == 0; })) return;
  while (const std::uint32_t left = busy_.load(std::memory_order_acquire)) {
    busy_.wait(left, std::memory_order_acquire);
  }
}

}  // namespace onehop
