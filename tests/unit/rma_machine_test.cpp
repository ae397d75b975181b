#include <sched.h>
#include <boost/test/unit_test.hpp>
#include <onehop/machine.hpp>

#include "machine/process.hpp"
#include "support/ranks.hpp"

using namespace onehop;

BOOST_AUTO_TEST_CASE(facts_of_this_machine_are_plausible) {
  const machine_facts facts = inspect_machine();
  BOOST_TEST(!facts.host.empty());
  BOOST_TEST(!facts.cpu_model.empty());
  BOOST_TEST(facts.usable_cores >= 1);
  BOOST_TEST(facts.memory_bytes > 100'000'000u);
  BOOST_TEST(facts.shm_free_bytes <= facts.shm_bytes);
}

BOOST_AUTO_TEST_CASE(usable_cores_follow_the_affinity_mask) {
  test::child_process child([] {
    cpu_set_t one;
    sched_getaffinity(0, sizeof one, &one);
    for (int cpu = 0, kept = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &one) && kept++ > 0) CPU_CLR(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    test::expect(usable_cores() == 1, "one core");
  });
  BOOST_TEST(child.wait().message == "");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_process_is_seen_before_anybody_reaps_it) {
  BOOST_TEST(!has_ended(this_process()));
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  test::child_process child([&] {
    const process_identity self = this_process();
    if (write(ends[1], &self, sizeof self) != sizeof self) _exit(1);
    pause();
  });
  process_identity other;
  BOOST_REQUIRE(read(ends[0], &other, sizeof other) == sizeof other);
  BOOST_TEST(!has_ended(other));
  kill(child.number(), SIGKILL);
  const auto begin = test::clock::now();
  while (!has_ended(other) && test::seconds_since(begin) < 2) usleep(1000);
  BOOST_TEST(has_ended(other));
  child.wait();
  BOOST_TEST(has_ended(other));
  process_identity reused = this_process();
  reused.started += 1;
  BOOST_TEST(has_ended(reused));
  process_identity foreign = other;
  foreign.name_space += 1;
  BOOST_TEST(!has_ended(foreign));
  close(ends[0]);
  close(ends[1]);
}
