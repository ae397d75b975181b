#pragma once
/// A state is what the machine remembers of a moment: memory with its past, and where threads are.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "model/machine.hpp"

namespace model {

constexpr std::size_t most_threads = 3;
/// A clock_vector, a vector clock, says how much of each thread's past is known somewhere.
using clock_vector = std::array<std::uint8_t, most_threads>;

inline void join(clock_vector& into, const clock_vector& other) {
  for (std::size_t t = 0; t < most_threads; ++t) into[t] = std::max(into[t], other[t]);
}

struct message {
  std::uint16_t value;
  std::uint8_t written;   ///< clock of the writer
  clock_vector released;  ///< what an acquiring load learns
};
/// An atomic_place is an atomic as its modification order: it has one writer, so this is the
/// writer's own order.
struct atomic_place {
  std::uint8_t writer = 0;
  std::vector<message> history;
  std::array<std::uint8_t, most_threads> seen{};  ///< coherence: no thread reads an older value
                                                  ///< than it has seen
};
struct plain_place {
  std::uint16_t value = 0;
  std::uint8_t writer = 0, written = 0;
  bool streaming = false;  ///< written by streaming stores, but perhaps not yet done
  clock_vector read{};     ///< clock of each thread's last read
};
struct thread_state {
  std::shared_ptr<const program> at;  ///< as it was before its step
  std::uint8_t step = 0, exchange = 0;
  std::vector<std::uint16_t> found;  ///< what the operations of this step have given
  std::uint8_t loads = 0;            ///< how many of them were loads
  operation next{};                  ///< what comes then
  clock_vector knows{};

  bool over() const { return step == at->steps(); }
};
struct state {
  std::vector<thread_state> threads;
  std::vector<atomic_place> atomics;
  std::vector<plain_place> plains;
};

struct fault_found : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A fingerprint is two independent 64-bit sums over everything in a state: what a set of visited
/// states keeps.
struct fingerprint {
  std::uint64_t a = 1469598103934665603ULL, b = 0x9e3779b97f4a7c15ULL;

  void add(std::uint64_t number) {
    a = (a ^ number) * 1099511628211ULL;
    a ^= a >> 32;
    b = (b + number + 1) * 0xd1342543de82ef95ULL;
    b ^= b >> 29;
  }
  void add(const clock_vector& clocks) {
    for (const std::uint8_t clock : clocks) add(clock);
  }
  bool operator==(const fingerprint&) const = default;
};
struct fingerprint_hash {
  std::size_t operator()(const fingerprint& f) const { return f.a ^ f.b; }
};

fingerprint print_of(const state& at);

/// Runs a thread to its next operation, which is set. Returns false for a thread that has just
/// looked in vain at the one atomic that its step looks at: it is where it was before.
bool run_on(thread_state& thread);
/// Returns whether a thread that goes on alone, with the latest values of all atomics, gets
/// anywhere.
bool can_go_on(const state& at, const thread_state& thread);

}  // namespace model
