#include "model/machine.hpp"

#include <unordered_set>

#include "model/state.hpp"

namespace model {
namespace {

using kind = operation::kind;

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
    for (const auto& each : system_.threads) {
      first.threads.emplace_back().at = each;
      run_on(first.threads.back());
    }
    first.atomics.resize(system_.atomics);
    for (atomic_place& place : first.atomics) place.history.push_back({0, 0, {}});
    first.plains.resize(system_.plains);
    return first;
  }

  void visit(state&& next) {
    if (visited_.insert(print_of(next)).second) open_.push_back(std::move(next));
  }

  void expand(const state& at) {
    for (std::size_t t = 0; t < at.threads.size(); ++t) {
      if (at.threads[t].over()) continue;
      if (at.threads[t].next.what == kind::load)
        load(at, t);
      else
        go_on(at, t);
    }
    if (is_stuck(at)) fail(at, "nobody can go on");
  }

  static bool is_stuck(const state& at) {
    const auto waits = [&](const thread_state& t) {
      return t.over() || (t.next.what == kind::load && !can_go_on(at, t));
    };
    const auto over = [](const thread_state& t) { return t.over(); };
    return std::ranges::all_of(at.threads, waits) && !std::ranges::all_of(at.threads, over);
  }

  /// A load may give any value that coherence does not forbid; each is a way to go on.
  void load(const state& at, std::size_t t) {
    const operation& now = at.threads[t].next;
    const atomic_place& place = at.atomics[now.place];
    std::size_t oldest = place.seen[t];
    // A value that is known to have been overwritten cannot be read any more.
    while (oldest + 1 < place.history.size() &&
           place.history[oldest + 1].written <= at.threads[t].knows[place.writer])
      ++oldest;
    for (std::size_t i = oldest; i < place.history.size(); ++i) {
      const message& m = place.history[i];
      state next = at;
      ++next.threads[t].loads;
      if (now.ordered) join(next.threads[t].knows, m.released);
      next.atomics[now.place].seen[t] = static_cast<std::uint8_t>(i);
      finish(std::move(next), t, m.value);
    }
  }

  void go_on(const state& at, std::size_t t) {
    state next = at;
    thread_state& me = next.threads[t];
    const operation now = me.next;
    ++me.knows[t];
    if (now.what == kind::write || now.what == kind::stream) write(next, t, now);
    if (now.what == kind::fence) fence(next, t);
    if (now.what == kind::read) read(next, t, now);
    if (now.what == kind::store) store(next, t, now);
    if (now.what == kind::begin) me.exchange = static_cast<std::uint8_t>(now.value);
    if (now.what == kind::check && now.value > next.threads[now.place].exchange + now.lag)
      fail(at, name(at, t) + " is too far ahead");
    finish(std::move(next), t, 0);
  }

  void finish(state&& next, std::size_t t, std::uint16_t found) {
    next.threads[t].found.push_back(found);
    try {
      if (!run_on(next.threads[t])) return;
    } catch (const fault_found& fault) {
      fail(next, name(next, t) + " " + fault.what());
    }
    visit(std::move(next));
  }

  void store(state& next, std::size_t t, const operation& now) {
    const clock_vector& knows = next.threads[t].knows;
    atomic_place& place = next.atomics[now.place];
    if (place.history.size() > 1 && place.writer != t) fail(next, "two threads store one atomic");
    place.writer = static_cast<std::uint8_t>(t);
    place.history.push_back(
        {static_cast<std::uint16_t>(now.value), knows[t], now.ordered ? knows : clock_vector{}});
  }

  void write(state& next, std::size_t t, const operation& now) {
    plain_place& place = next.plains[now.place];
    const clock_vector& knows = next.threads[t].knows;
    for (std::size_t u = 0; u < next.threads.size(); ++u)
      if (place.read[u] > knows[u])
        fail(next, name(next, t) + " overwrites what " + name(next, u) + " may be reading");
    if (place.streaming || place.written > knows[place.writer]) fail(next, "two writes race");
    place.streaming = now.what == kind::stream;
    place.value = static_cast<std::uint16_t>(now.value);
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

  void read(state& next, std::size_t t, const operation& now) {
    plain_place& place = next.plains[now.place];
    const clock_vector& knows = next.threads[t].knows;
    if (place.streaming || place.written > knows[place.writer])
      fail(next, name(next, t) + " reads what " + name(next, place.writer) + " may be writing");
    if (place.value != now.value)
      fail(next, name(next, t) + " reads bytes of " + std::to_string(place.value) +
                     " in place of " + std::to_string(now.value));
    place.read[t] = knows[t];
  }

  static std::string name(const state& at, std::size_t t) { return at.threads[t].at->name(); }

  [[noreturn]] static void fail(const state& at, const std::string& what) {
    std::string where = what + ", at steps";
    for (const thread_state& t : at.threads) where += " " + std::to_string(t.step);
    throw fault_found(where);
  }

  const system_model& system_;
  std::vector<state> open_;
  std::unordered_set<fingerprint, fingerprint_hash> visited_;
};

}  // namespace

verdict explore(const system_model& system) {
  for (const auto& each : system.threads)
    if (system.threads.size() > most_threads || each->steps() > 250)
      throw std::invalid_argument("the machine has 3 threads of up to 250 steps");
  return explorer(system).run();
}

}  // namespace model
