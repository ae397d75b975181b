#include "mpi/turns.hpp"

#include <atomic>
#include <thread>

namespace onehop::mpi_abi {
namespace {

std::atomic<bool> several_threads{false};
// A thread takes a number and comes in when it is served: first come, first served, so that one
// that waits and asks again and again leaves room for the others.
std::atomic<unsigned> next_number{0}, served{0};
std::atomic<std::thread::id> inside{};
unsigned depth = 0;

void come_in() noexcept {
  const unsigned mine = next_number.fetch_add(1);
  for (unsigned now = served.load(); now != mine; now = served.load()) served.wait(now);
  inside.store(std::this_thread::get_id());
}

void go_out() noexcept {
  inside.store({});
  served.fetch_add(1);
  served.notify_all();
}

}  // namespace

void take_turns(bool several) noexcept {
  // The call that says so is inside.
  if (several && !several_threads.load()) {
    come_in();
    depth = 1;
  }
  several_threads.store(several);
}

turn::turn() noexcept {
  if (!several_threads.load(std::memory_order_relaxed)) return;
  if (inside.load() != std::this_thread::get_id()) come_in();
  ++depth;
}

turn::~turn() {
  if (!several_threads.load(std::memory_order_relaxed)) return;
  if (--depth == 0) go_out();
}

void let_others_in() noexcept {
  if (!several_threads.load(std::memory_order_relaxed)) return;
  if (next_number.load() == served.load() + 1) return;
  const unsigned kept = depth;
  go_out();
  come_in();
  depth = kept;
}

}  // namespace onehop::mpi_abi
