#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <onehop/adversary.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/collective_player.hpp"
#include "support/random_exchange.hpp"
#include "support/stream_player.hpp"

using namespace onehop;
using test::contains;
using test::dice;
using test::expect;

namespace {

/// Plays two chains with any kind of window, in flight together, with collectives between.
void play_random_job(const context& ctx, std::uint64_t seed) {
  dice alike(seed), own(seed * 64 + static_cast<std::uint64_t>(ctx.rank()));
  const auto draw_pattern = [&] {
    const auto puts = static_cast<int>(1 + alike.below(2 * static_cast<std::uint64_t>(ctx.size())));
    const bool in_runs = alike.below(2) == 0;
    const test::random_pattern drawn(alike.below(1'000'000), ctx.size(), puts, 40, in_runs);
    return alike.below(3) == 0 ? drawn.both_ways() : drawn;
  };
  test::player first(ctx, draw_pattern(), test::draw_window(alike));
  test::player second(ctx, draw_pattern(), test::draw_window(alike));
  for (int exchange = 1; exchange <= 4; ++exchange) {
    first.start(exchange);
    if (alike.below(4) == 0) barrier(ctx);
    second.start(exchange + 100);
    second.finish(own);
    first.finish(own);
    if (alike.below(4) == 0) {
      double values[] = {1.0, 0.5 * ctx.rank()};
      allreduce_sum(ctx, values);
      expect(values[0] == ctx.size(), "a sum between exchanges");
    }
    first.verify_all();
    second.verify_all();
  }
}

int ranks_of(std::uint64_t seed) { return 2 + static_cast<int>(seed % 3); }

/// Returns what each rank saw and when, in the order in which it happened.
std::vector<std::int64_t> course_of(std::uint64_t seed) {
  std::vector<std::int64_t> seen;
  run_with_adversary(3, seed, [&](context ctx) {
    test::ring around(ctx, 100, true);
    for (int exchange = 1; exchange <= 10; ++exchange) {
      around.chain.start();
      while (!around.chain.test())
        seen.insert(seen.end(), {ctx.rank(), clock_of(ctx).now().time_since_epoch().count()});
    }
  });
  return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(chains_survive_whatever_the_rules_allow) {
  test::for_each_seed(4000, [](std::uint64_t seed) {
    run_with_adversary(ranks_of(seed), seed, [seed](context ctx) { play_random_job(ctx, seed); });
  });
}

#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
// Sanitizers reserve more memory than any limit. The ranks that were started wait for the others.
BOOST_AUTO_TEST_CASE(ranks_that_were_started_end_where_there_is_no_memory_for_all) {
  test::child_process child([] {
    alarm(30);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    const rlimit most{bytes, bytes};
    expect(setrlimit(RLIMIT_AS, &most) == 0, "a limit");
    const std::string said =
        test::message_of<resource_error>([] { run_with_adversary(64, 1, [](const context&) {}); });
    expect(contains(said, "cannot start a thread: ") && contains(said, "use fewer ranks"), said);
  });
  const test::rank_end end = child.wait();
  BOOST_TEST(end.good(), "signal " << end.signal << " " << end.message);
}
#endif
#endif

BOOST_AUTO_TEST_CASE(packing_before_reading_is_found_out_where_puts_take_turns) {
  int lost = 0;
  // Only some of these seeds lose anything, so that sanitizers run them all, too.
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    run_with_adversary(2, seed, [&](context ctx) {
      const int other = 1 - ctx.rank();
      put_chain chain(ctx, window::allocate(ctx, 8));
      const put_slot slot = chain.push(put::packed(8, other, 0));
      const notification arrival = chain.add_origin(other);
      chain.take_turns();
      chain.commit();
      for (int exchange = 1; exchange <= 3; ++exchange) {
        if (exchange == 1) test::fill(chain.target_view(slot), ctx.rank(), 0, 1);
        chain.start();
        chain.wait();
        test::fill(chain.target_view(slot), ctx.rank(), 0, exchange + 1);
        try {
          test::expect_filled(chain.arrived(arrival), other, 0, exchange);
        } catch (const std::exception&) {
          ++lost;
        }
      }
    });
  BOOST_TEST(lost > 0);
}

BOOST_AUTO_TEST_CASE(a_seed_replays_exactly_and_another_differs) {
  test::for_each_seed(20, [](std::uint64_t seed) {
    const auto once = course_of(seed);
    expect(once == course_of(seed), "the same course");
    expect(once != course_of(seed + 1), "another course");
  });
}

BOOST_AUTO_TEST_CASE(a_deadlock_is_an_error_at_once_that_says_who_waits_for_whom) {
  const auto begin = test::clock::now();
  test::for_each_seed(10, [](std::uint64_t seed) {
    const std::string message = test::message_of<timeout_error>([&] {
      run_with_adversary(3, seed, [](context ctx) {
        test::ring around(ctx, 100, true);
        around.chain.start();
        around.chain.wait();
        if (ctx.rank() == 2) return barrier(ctx);
        around.chain.start();
        around.chain.wait();
      });
    });
    expect(contains(message, "adversary with seed " + std::to_string(seed)), message);
    for (const char* part : {"rank 0 of 3 waited", "rank 1 of 3 waited", "rank 2 of 3 waited",
                             "from rank 2 was last seen in exchange 1", "rank 0 has not come"})
      expect(contains(message, part), message);
  });
  BOOST_TEST(test::seconds_since(begin) < 5);
}

BOOST_AUTO_TEST_CASE(the_first_ranks_exception_comes_back) {
  test::for_each_seed(10, [](std::uint64_t seed) {
    const auto run = [&] {
      run_with_adversary(4, seed, [](context ctx) {
        if (ctx.rank() == 2) throw numeric_error("link of rank 2");
        barrier(ctx);
      });
    };
    expect(test::message_of<numeric_error>(run) == "link of rank 2", "the reason");
  });
  BOOST_CHECK_THROW(run_with_adversary(0, 1, [](context) {}), usage_error);
}

BOOST_AUTO_TEST_CASE(streams_survive_whatever_the_rules_allow) {
  test::for_each_seed(1000, [](std::uint64_t seed) {
    run_with_adversary(2 + static_cast<int>(seed % 3), seed, [seed](context ctx) {
      dice alike(seed);
      const auto draw_ranks = [&] {
        test::rank_list drawn;
        for (int rank = 0; rank < ctx.size(); ++rank)
          if (alike.below(2) == 0) drawn.push_back(rank);
        if (drawn.empty())
          drawn.push_back(static_cast<int>(alike.below(static_cast<std::uint64_t>(ctx.size()))));
        return drawn;
      };
      const test::rank_list producers = draw_ranks(), consumers = draw_ranks();
      const stream_options how{.largest_item = 1 + alike.below(60),
                               .block_bytes = 160 + alike.below(200),
                               .blocks = 2 + static_cast<int>(alike.below(3))};
      const dice own(seed * 64 + static_cast<std::uint64_t>(ctx.rank()));
      test::stream_player(ctx, producers, consumers, how, 12, own).play();
    });
  });
}

BOOST_AUTO_TEST_CASE(collectives_survive_whatever_the_rules_allow) {
  test::for_each_seed(1000, [](std::uint64_t seed) {
    run_with_adversary(1 + static_cast<int>(seed % 5), seed, [seed](const context& ctx) {
      dice alike(seed);
      const std::size_t most_values = alike.below(4) == 0 ? 5000 : 200;
      test::collective_player(ctx, alike, most_values).play(4);
      // Each group goes its own way, and meets the other again.
      const int groups = 1 + static_cast<int>(alike.below(2));
      const context group = test::group_of(ctx, groups);
      test::collective_player(
          group, dice(seed + 77 * static_cast<std::uint64_t>(ctx.rank() % groups)), 200)
          .play(4);
      test::collective_player(ctx, alike, 200).play(4);
    });
  });
}
