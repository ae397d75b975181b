#include <sched.h>
#include <boost/test/unit_test.hpp>
#include <onehop/machine.hpp>
#include <optional>
#include <set>
#include <thread>

#include "machine/cores.hpp"
#include "machine/relax.hpp"
#include "machine/thread_team.hpp"
#include "machine/turn_taking.hpp"
#include "support/ranks.hpp"

using namespace onehop;

namespace {

constexpr int threads = 3;

/// Runs `body` on threads that take turns; the last calls of each belong to this.
template <class Body>
void take_turns(const Body& body) {
  turn_taking all(threads);
  int left = threads;
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      if (!all.enter(thread)) return;
      body(all, thread);
      // Those that have not come to their end are woken in the order of their numbers.
      all.leave(thread, --left > 0 ? (thread + 1) % threads : -1);
    });
  all.begin(0);
}

BOOST_AUTO_TEST_CASE(one_thread_runs_at_a_time_in_the_order_of_hand_overs) {
  std::vector<int> order;
  take_turns([&](turn_taking& all, int thread) {
    for (int turn = 0; turn < 3; ++turn) {
      order.push_back(thread);
      all.pass_on(thread, (thread + 1) % threads);
    }
  });
  BOOST_TEST(order == (std::vector{0, 1, 2, 0, 1, 2, 0, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nobody_runs_after_cancel) {
  turn_taking all(threads);
  std::vector<std::jthread> running;
  std::atomic<int> refused = 0;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] { refused += all.enter(thread) ? 0 : 1; });
  all.cancel();
  running.clear();
  BOOST_TEST(refused == threads);
}

BOOST_AUTO_TEST_CASE(threads_share_a_core_and_their_teams_have_all_of_the_process) {
  const std::vector<int> all_cores = cores::of_process();
  const int usable = usable_cores();
  std::vector<std::vector<int>> own, of_team, afterwards(threads);
  std::vector<int> counted;
  {
    turn_taking all(threads);
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        if (!all.enter(thread)) return;
        own.push_back(cores::allowed());
        counted.push_back(usable_cores());
        thread_team team(2);
        team.run([&](int member) {
          if (member == 1) of_team.push_back(cores::allowed());
        });
        all.leave(thread, thread + 1 < threads ? (thread + 1) % threads : -1);
        afterwards[static_cast<std::size_t>(thread)] = cores::allowed();
      });
    all.begin(0);
  }
  for (const std::vector<int>& each : own)
    BOOST_TEST(each.size() == 1u, "a thread may run on " << each.size() << " cores");
  BOOST_TEST(std::ranges::all_of(counted, [&](int cores) { return cores == usable; }));
  BOOST_TEST((of_team == std::vector(threads, all_cores)));
  BOOST_TEST((afterwards == std::vector(threads, all_cores)));
}

BOOST_AUTO_TEST_CASE(threads_leave_a_core_that_another_program_uses) {
  if (cores::of_process().size() < 2) return;
  std::set<int> seen;
  const auto begin = test::clock::now();
  take_turns([&](turn_taking& all, int thread) {
    // A child stays on the core of the thread that starts it.
    std::optional<test::child_process> busy;
    if (thread == 0)
      busy.emplace([] {
        for (;;) relax();
      });
    while (seen.size() < 2 && test::seconds_since(begin) < 20) {
      seen.insert(sched_getcpu());
      all.pass_on(thread, (thread + 1) % threads);
    }
  });
  BOOST_TEST(seen.size() == 2u, "the threads ran on " << seen.size() << " core");
}

}  // namespace
