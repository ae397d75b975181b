#include "model/machine.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_set>

namespace model {
namespace {

using kind = instruction::kind;
constexpr std::size_t most_threads = 3;
/// A clock_vector, a vector clock, says how much of each thread's past is known somewhere.
using clock_vector = std::array<std::uint8_t, most_threads>;

void join(clock_vector& into, const clock_vector& other) {
  for (std::size_t t = 0; t < most_threads; ++t) into[t] = std::max(into[t], other[t]);
}

struct message {
  std::uint8_t value;
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
  std::uint8_t value = 0, writer = 0, written = 0;
  bool streaming = false;  ///< written by streaming stores, but perhaps not yet done
  clock_vector read{};     ///< clock of each thread's last read
};
struct thread_state {
  std::uint8_t next = 0, exchange = 0;
  clock_vector knows{};
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
  void add(std::uint64_t byte) {
    a = (a ^ byte) * 1099511628211ULL;
    b = (b + byte + 1) * 0xd1342543de82ef95ULL;
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

fingerprint print_of(const state& at) {
  fingerprint sum;
  for (const thread_state& t : at.threads) {
    sum.add(t.next);
    sum.add(t.knows);
  }
  for (const atomic_place& place : at.atomics) {
    sum.add(place.history.size());
    sum.add(place.seen);
    for (const message& m : place.history) sum.add(m.released);
  }
  for (const plain_place& place : at.plains) {
    sum.add(place.written);
    sum.add(place.streaming);
    sum.add(place.read);
  }
  return sum;
}

class explorer {
 public:
  explicit explorer(const system_model& system) : system_(system) {}

  verdict run() {
    try {
      visit(initial());
      while (!open_.empty()) {
        const state at = std::move(open_.back());
        open_.pop_back();
        expand(at);
      }
    } catch (const fault_found& fault) {
      return {visited_.size(), fault.what()};
    }
    return {visited_.size(), {}};
  }

 private:
  state initial() const {
    state first;
    first.threads.resize(system_.threads.size());
    first.atomics.resize(static_cast<std::size_t>(system_.atomics));
    for (atomic_place& place : first.atomics) place.history.push_back({0, 0, {}});
    first.plains.resize(static_cast<std::size_t>(system_.plains));
    return first;
  }

  void visit(state&& next) {
    if (visited_.insert(print_of(next)).second) open_.push_back(std::move(next));
  }

  void expand(const state& at) {
    bool any = false, done = true;
    for (std::size_t t = 0; t < at.threads.size(); ++t) {
      const auto& code = system_.threads[t].code;
      if (at.threads[t].next == code.size()) continue;
      done = false;
      any |= step(at, t, code[at.threads[t].next]);
    }
    if (!any && !done) fail(at, "nobody can go on");
  }

  /// Does a step; returns false when the thread has to wait.
  bool step(const state& at, std::size_t t, const instruction& now) {
    if (now.what == kind::await) return step_await(at, t, now);
    state next = at;
    thread_state& me = next.threads[t];
    ++me.next;
    ++me.knows[t];
    if (now.what == kind::write || now.what == kind::stream) write(next, t, now);
    if (now.what == kind::fence) fence(next, t);
    if (now.what == kind::read) read(next, t, now);
    if (now.what == kind::store) store(next, t, now);
    if (now.what == kind::begin) me.exchange = static_cast<std::uint8_t>(now.value);
    if (now.what == kind::check &&
        now.value > next.threads[static_cast<std::size_t>(now.place)].exchange + now.lag)
      fail(at, system_.threads[t].name + " is too far ahead");
    visit(std::move(next));
    return true;
  }

  /// A load may give any value that coherence does not forbid; each is a way to go on.
  bool step_await(const state& at, std::size_t t, const instruction& now) {
    const auto index = static_cast<std::size_t>(now.place);
    const atomic_place& place = at.atomics[index];
    bool any = false;
    std::size_t oldest = place.seen[t];
    // A value that is known to have been overwritten cannot be read any more.
    while (oldest + 1 < place.history.size() &&
           place.history[oldest + 1].written <= at.threads[t].knows[place.writer])
      ++oldest;
    for (std::size_t i = oldest; i < place.history.size(); ++i) {
      const message& m = place.history[i];
      if (now.exact ? m.value != now.value : m.value < now.value) continue;
      any = true;
      state next = at;
      thread_state& me = next.threads[t];
      ++me.next;
      ++me.knows[t];
      if (now.ordered) join(me.knows, m.released);
      next.atomics[index].seen[t] = static_cast<std::uint8_t>(i);
      visit(std::move(next));
    }
    return any;
  }

  void store(state& next, std::size_t t, const instruction& now) {
    const clock_vector& knows = next.threads[t].knows;
    atomic_place& place = next.atomics[static_cast<std::size_t>(now.place)];
    place.writer = static_cast<std::uint8_t>(t);
    place.history.push_back(
        {static_cast<std::uint8_t>(now.value), knows[t], now.ordered ? knows : clock_vector{}});
  }

  void write(state& next, std::size_t t, const instruction& now) {
    plain_place& place = next.plains[static_cast<std::size_t>(now.place)];
    const clock_vector& knows = next.threads[t].knows;
    for (std::size_t u = 0; u < next.threads.size(); ++u)
      if (place.read[u] > knows[u])
        fail(next, system_.threads[t].name + " overwrites what " + system_.threads[u].name +
                       " may be reading");
    if (place.streaming || place.written > knows[place.writer]) fail(next, "two writes race");
    place.streaming = now.what == kind::stream;
    place.value = static_cast<std::uint8_t>(now.value);
    place.writer = static_cast<std::uint8_t>(t);
    place.written = knows[t];
  }

  void fence(state& next, std::size_t t) {
    for (plain_place& place : next.plains)
      if (place.streaming && place.writer == t) {
        place.streaming = false;
        place.written = next.threads[t].knows[t];
      }
  }

  void read(state& next, std::size_t t, const instruction& now) {
    plain_place& place = next.plains[static_cast<std::size_t>(now.place)];
    const clock_vector& knows = next.threads[t].knows;
    if (place.streaming || place.written > knows[place.writer])
      fail(next, system_.threads[t].name + " reads what " + system_.threads[place.writer].name +
                     " may be writing");
    if (place.value != now.value)
      fail(next, system_.threads[t].name + " reads bytes of " + std::to_string(place.value) +
                     " in place of " + std::to_string(now.value));
    place.read[t] = knows[t];
  }

  [[noreturn]] void fail(const state& at, const std::string& what) const {
    std::string where = what + ", at steps";
    for (const thread_state& t : at.threads) where += " " + std::to_string(t.next);
    throw fault_found(where);
  }

  const system_model& system_;
  std::vector<state> open_;
  std::unordered_set<fingerprint, fingerprint_hash> visited_;
};

}  // namespace

verdict explore(const system_model& system) {
  for (const thread_program& each : system.threads)
    if (system.threads.size() > most_threads || each.code.size() > 250)
      throw std::invalid_argument("the machine has 3 threads of up to 250 steps");
  return explorer(system).run();
}

}  // namespace model
