#include "model/state.hpp"

namespace model {
namespace {

/// A step stops at an operation that has not been done.
struct stopped_at {
  operation next;
};

/// A rerun repeats what a thread has done in its step.
struct rerun {
  const std::vector<std::uint16_t>& found;
  const state* latest = nullptr;  ///< where loads look, of a thread that runs alone
  std::size_t done = 0;
};
rerun* running = nullptr;

bool run_step(program& of, std::size_t step, rerun& how) {
  running = &how;
  return of.step(step);
}

}  // namespace

std::uint64_t perform(const operation& now) {
  rerun& run = *running;
  if (run.done < run.found.size()) return run.found[run.done++];
  if (run.latest == nullptr || now.what != operation::kind::load) throw stopped_at{now};
  return run.latest->atomics[now.place].history.back().value;
}

void fault(const std::string& what) { throw fault_found(what); }

bool run_on(thread_state& thread) {
  while (!thread.over()) {
    std::shared_ptr<program> copy = thread.at->copy();
    rerun how{thread.found};
    try {
      if (run_step(*copy, thread.step, how))
        ++thread.step;
      else if (thread.loads == 1 && thread.next.what == operation::kind::load)
        return false;
      else if (thread.found.empty())
        throw std::logic_error("a step waits for nothing");
    } catch (const stopped_at& stop) {
      thread.next = stop.next;
      return true;
    }
    thread.at = copy;
    thread.found.clear();
    thread.loads = 0;
  }
  return true;
}

bool can_go_on(const state& at, const thread_state& thread) {
  const std::unique_ptr<program> copy = thread.at->copy();
  const std::vector<std::uint16_t> nothing;
  // The values that the thread has read before may be old, so that the step is tried with none,
  // too.
  rerun first{thread.found, &at}, again{nothing, &at};
  try {
    return run_step(*copy, thread.step, first) || run_step(*copy, thread.step, again);
  } catch (const stopped_at&) {
    return true;
  }
}

fingerprint print_of(const state& at) {
  fingerprint sum;
  for (const thread_state& t : at.threads) {
    sum.add(t.step);
    sum.add(t.exchange);
    if (!t.over()) sum.add(t.at->fingerprint(t.step));
    sum.add(t.found.size());
    for (const std::uint16_t value : t.found) sum.add(value);
    sum.add(t.knows);
  }
  for (const atomic_place& place : at.atomics) {
    sum.add(place.history.size());
    sum.add(place.seen);
    for (const message& m : place.history) {
      sum.add(m.value);
      sum.add(m.released);
    }
  }
  for (const plain_place& place : at.plains) {
    sum.add(place.value);
    sum.add(place.written);
    sum.add(place.streaming);
    sum.add(place.read);
  }
  return sum;
}

}  // namespace model
