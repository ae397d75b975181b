// Transfers wait for each other and follow their protocols.
#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>

#include "links.hpp"
#include "netsim/workload/transfer_run.hpp"

using namespace onehop::netsim;

BOOST_AUTO_TEST_CASE(transfers_wait_for_those_they_name) {
  auto machine = torus({4}, link_of(0, us));
  machine.protocols = {direct()};
  transfer_run run(machine, {});
  run.add({.origin = 0, .target = 1, .bytes = 8});
  for (int k = 1; k < 4; ++k)
    run.add({.origin = k, .target = (k + 1) % 4, .bytes = 8, .after = {k - 1}, .delay = 10});
  BOOST_TEST(run.run() == 4 * us + 30);
  BOOST_TEST(run.run() == 2 * (4 * us + 30));
}

BOOST_AUTO_TEST_CASE(transfers_wait_for_sources_too) {
  auto machine = torus({2}, link_of(0, us));
  machine.protocols = {direct()};
  machine.paths[0].local = 10 * us;
  const auto second = [&](std::int64_t after) {
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8});
    run.add({.origin = 0, .target = 1, .bytes = 8, .after = {after}});
    run.run();
    return run.arrived()[1];
  };
  BOOST_TEST(second(0) == 2 * us);
  BOOST_TEST(second(~0) == 11 * us);
  for (const std::int64_t not_there : {1, ~1})
    BOOST_CHECK_THROW(second(not_there), onehop::usage_error);
}

// Every target is ready, so an unasked grant is there before a transfer that begins late.
BOOST_AUTO_TEST_CASE(a_transfer_follows_its_protocol) {
  auto machine = torus({4}, link_of(0, us, 64));
  const auto time_with = [&](std::int32_t request, std::int32_t grant, picoseconds delay) {
    machine.protocols = {direct()};
    machine.protocols[0].request = request;
    machine.protocols[0].grant = grant;
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8, .delay = delay});
    run.run();
    return run.arrived()[0] - delay;
  };
  BOOST_TEST(time_with(-1, -1, 0) == us);
  BOOST_TEST(time_with(0, -1, 0) == us);
  BOOST_TEST(time_with(0, 0, 5 * us) == 3 * us);
  BOOST_TEST(time_with(-1, 0, 0) == 2 * us);
  BOOST_TEST(time_with(-1, 0, 5 * us) == us);
}

// A credit stays with its target: it holds back data that have come before it, adds nothing where
// it was given before, and no data wait for it at their origin.
BOOST_AUTO_TEST_CASE(a_credit_lets_data_in_where_they_have_come) {
  auto machine = torus({4}, link_of(0, us, 64));
  machine.stages = {{"credit", "cpu", software_step{3 * us, 0, 0, 0}}};
  machine.paths.push_back(machine.paths[0]);
  machine.paths[1].origin = {0};
  machine.protocols = {direct()};
  machine.protocols[0].credit = 1;
  const auto time_with = [&](picoseconds delay) {
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8, .delay = delay});
    const auto end = run.run();
    BOOST_TEST(run.net().account().messages_delivered == 2U);
    BOOST_TEST(run.freed()[0] == delay);
    BOOST_TEST(run.arrived()[0] == end);
    return end - delay;
  };
  BOOST_TEST(time_with(0) == 3 * us);
  BOOST_TEST(time_with(5 * us) == us);
  // Whoever waits for the data goes on when they are let in, and not when they have come.
  transfer_run run(machine, {});
  run.add({.origin = 0, .target = 1, .bytes = 8});
  run.add({.origin = 1, .target = 2, .bytes = 8, .after = {0}});
  run.run();
  BOOST_TEST(run.freed()[1] == 3 * us);
}

BOOST_AUTO_TEST_CASE(a_transfer_that_cannot_be_is_refused_and_leaves_nothing_behind) {
  auto machine = torus({4}, link_of(0, us));
  machine.protocols = {direct()};
  transfer_run run(machine, {});
  BOOST_CHECK_THROW(run.add({.origin = 0, .target = 4, .bytes = 8}), onehop::usage_error);
  BOOST_CHECK_THROW(run.add({.origin = -1, .target = 0, .bytes = 8}), onehop::usage_error);
  run.add({.origin = 0, .target = 1, .bytes = 8});
  run.add({.origin = 1, .target = 2, .bytes = 8, .delay = 5 * us});
  BOOST_CHECK_THROW(run.add({.origin = 2, .target = 3, .bytes = 8, .after = {0, 7}}),
                    onehop::usage_error);
  // The next of its number does not inherit what it was to wait for.
  run.add({.origin = 2, .target = 3, .bytes = 8, .after = {0, 1}});
  run.run();
  BOOST_TEST(run.arrived()[2] == 7 * us);
}
