#include <sched.h>
#include <boost/test/unit_test.hpp>
#include <onehop/machine.hpp>

#include "machine/copy_bytes.hpp"
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

BOOST_AUTO_TEST_CASE(long_copies_are_right_wherever_both_ends_lie) {
  constexpr std::size_t page = 4096;
  std::vector<std::byte> memory(8 * page), expected;
  for (const std::size_t bytes : {1, 63, 64, 200, 5000})
    for (const std::size_t behind : {0, 1, 16, 31, 32, 100}) {
      for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::byte>(i * 7 + bytes);
      std::byte* const target = memory.data() + 4 * page + behind;
      expected = memory;
      std::copy_n(memory.begin(), bytes, expected.begin() + (target - memory.data()));
      copy_bytes(target, memory.data(), bytes);
      BOOST_TEST((memory == expected), bytes << " bytes, " << behind << " behind");
    }
}

BOOST_AUTO_TEST_CASE(moved_bytes_may_overlap_either_way) {
  std::vector<std::byte> memory(9000), expected;
  for (const std::size_t from : {0, 16, 40})
    for (const std::size_t to : {0, 16, 40}) {
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 11);
      const std::vector<std::byte> before = memory;
      move_bytes(memory.data() + to, memory.data() + from, 8000);
      BOOST_TEST((std::equal(memory.begin() + static_cast<std::ptrdiff_t>(to),
                             memory.begin() + static_cast<std::ptrdiff_t>(to) + 8000,
                             before.begin() + static_cast<std::ptrdiff_t>(from))));
    }
}
