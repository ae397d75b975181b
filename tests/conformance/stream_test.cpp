// Items arrive whole, once and in order, whatever their sizes and whoever is fast or slow.

#include <onehop/stream.hpp>

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <onehop/adversary.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/idle.hpp>
#include <thread>

#include "support/stream_player.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::contains;
using test::dice;
using test::expect;

namespace {

using ranks = test::rank_list;
using test::all_of, test::last_of, test::first_of;

constexpr stream_options small{.largest_item = 200, .block_bytes = 1024, .blocks = 3};

}  // namespace

BOOST_DATA_TEST_CASE(items_arrive_whole_once_and_in_order, test::every_job(), where) {
  using list = ranks (*)(const context&);
  for (const auto& [from, to] : {std::pair<list, list>{all_of, all_of},
                                 {all_of, last_of},
                                 {first_of, all_of},
                                 {first_of, last_of}})
    where.run([from = from, to = to](context ctx) {
      const dice own(static_cast<std::uint64_t>(ctx.rank()));
      test::stream_player(ctx, from(ctx), to(ctx), small, 150, own).play();
      test::stream_player(ctx, from(ctx), to(ctx), {.largest_item = 90'000, .blocks = 2}, 6, own)
          .play();
    });
}

BOOST_DATA_TEST_CASE(blocking_calls_carry_a_pipeline, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    const ranks producers{0}, consumers{ctx.size() - 1};
    stream numbers(ctx, producers, consumers, {.largest_item = 8, .block_bytes = 256});
    constexpr std::uint64_t count = 3000;
    if (ctx.rank() == 0) {
      for (std::uint64_t n = 0; n < count; ++n) numbers.send(std::as_bytes(std::span(&n, 1)));
      numbers.close();
      numbers.close();
    }
    if (ctx.rank() == ctx.size() - 1) {
      std::uint64_t n = 0;
      while (const auto item = numbers.next()) {
        std::uint64_t value;
        expect(item->bytes.size() == sizeof value);
        std::memcpy(&value, item->bytes.data(), sizeof value);
        expect(value == n++, "in order");
        numbers.release(*item);
      }
      expect(n == count, "none lost");
      expect(!numbers.next().has_value(), "the end stays the end");
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(a_producer_runs_ahead_until_there_is_no_room, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    const ranks producers{0}, consumers{1};
    stream events(ctx, producers, consumers, {.largest_item = 100, .block_bytes = 512});
    std::uint64_t ahead = 0;
    if (ctx.rank() == 0) {
      while (const auto place = events.try_reserve(100)) {
        place->bytes[0] = static_cast<std::byte>(ahead++);
        events.publish(*place, 1);
      }
      // A block has room for at least three items of 100 bytes with what belongs to them, and every
      // item takes at least 16 of its bytes.
      expect(ahead >= 3 && ahead <= 4 * 512 / 16, "bounded room, of " + std::to_string(ahead));
    }
    barrier(ctx);
    if (ctx.rank() == 0) {
      events.send(std::vector(1, static_cast<std::byte>(ahead)));
      events.close();
    } else if (ctx.rank() == 1) {
      std::uint64_t n = 0;
      while (const auto item = events.next()) {
        expect(item->bytes[0] == static_cast<std::byte>(n++), "none lost");
        events.release(*item);
      }
      expect(n > 3);
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(a_consumer_that_idles_between_looks_takes_everything, test::every_job(),
                     where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    const ranks producers{0}, consumers{1};
    stream events(ctx, producers, consumers, small);
    const auto begin = ctx.now();
    int turn = 0, items = 0;
    if (ctx.rank() == 0) {
      // Every item is later than the one before by some of the job's time.
      for (int n = 1; n <= 5; ++n) {
        for (const auto until = begin + n * 200us; ctx.now() < until;) idle(ctx, turn++, until);
        events.send(std::vector(1, static_cast<std::byte>(n)));
      }
      events.close();
      expect(ctx.now() >= begin + 1ms, "time has passed");
    } else if (ctx.rank() == 1) {
      stream::item taken;
      for (auto seen = events.try_next(taken); seen != stream::state::ended;
           seen = events.try_next(taken)) {
        if (seen == stream::state::nothing_yet) {
          idle(ctx, turn++, ctx.now() + 10ms);
          continue;
        }
        expect(taken.bytes[0] == static_cast<std::byte>(++items), "in order");
        events.release(taken);
      }
      expect(items == 5, "none lost");
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(flush_sends_what_is_held_back, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    const ranks producers{0}, consumers{1};
    stream events(ctx, producers, consumers, {.largest_item = 8, .blocks = 2});
    const int items = 5;
    std::vector<stream::item> taken;
    if (ctx.rank() == 0) {
      for (int n = 0; n < items; ++n) events.send(std::vector(3, static_cast<std::byte>(n)));
      events.flush();
    } else if (ctx.rank() == 1) {
      for (int n = 0; n < items; ++n) {
        const auto item = events.next();
        expect(item && item->bytes.size() == 3 && item->bytes[2] == static_cast<std::byte>(n));
        // Nothing is released yet: all items come without room that is given back.
        taken.push_back(*item);
      }
    }
    barrier(ctx);
    for (const stream::item& item : taken) events.release(item);
    if (ctx.rank() == 0) events.close();
    if (ctx.rank() == 1) expect(!events.next());
    barrier(ctx);
  });
}

// Rank 1 makes room only when rank 2 has the item that was held back for it.
BOOST_DATA_TEST_CASE(who_asks_for_room_sends_what_is_held_back_for_others, test::every_job(),
                     where) {
  if (where.ranks < 3) return;
  where.run([](context ctx) {
    const ranks first{0}, second{1}, third{2}, consumers{1, 2};
    stream events(ctx, first, consumers, {.largest_item = 8, .blocks = 2});
    stream word(ctx, third, second, {.largest_item = 8});
    const std::vector<std::byte> item(8);
    if (ctx.rank() == 0) {
      while (const auto place = events.try_reserve(8, 1)) events.publish(*place);
      for (int n = 0; n < 2; ++n) events.send(item, 2);
    }
    barrier(ctx);
    if (ctx.rank() == 0) {
      auto place = events.try_reserve(8, 1);
      for (int turn = 0; !place; place = events.try_reserve(8, 1))
        idle(ctx, turn++, ctx.now() + 10ms);
      events.publish(*place);
      events.close();
    } else if (ctx.rank() == 2) {
      for (int n = 0; n < 2; ++n) events.release(*events.next());
      word.close();
    } else if (ctx.rank() == 1) {
      expect(!word.next());
    }
    if (test::has(consumers, ctx.rank()))
      while (const auto taken = events.next()) events.release(*taken);
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(items_for_any_consumer_are_divided, test::every_job(), where) {
  if (where.ranks < 3) return;
  where.run([](context ctx) {
    const ranks producers{0};
    ranks consumers = all_of(ctx);
    consumers.erase(consumers.begin());
    stream work(ctx, producers, consumers, {.largest_item = 4, .block_bytes = 128});
    constexpr std::uint64_t count = 400;
    std::array<double, 2> taken{};  // number of items taken, and the sum of their numbers
    std::array<double, 1> fewest{};
    if (ctx.rank() == 0) {
      for (std::uint32_t n = 0; n < count; ++n) work.send(std::as_bytes(std::span(&n, 1)));
      work.close();
    } else {
      while (const auto item = work.next()) {
        std::uint32_t n;
        std::memcpy(&n, item->bytes.data(), sizeof n);
        taken[0] += 1;
        taken[1] += n;
        work.release(*item);
      }
      fewest[0] = -taken[0];
    }
    allreduce_sum(ctx, taken);
    if (ctx.rank() == 0) fewest[0] = -static_cast<double>(count);
    allreduce_max(ctx, fewest);
    expect(taken[0] == count && taken[1] == count * (count - 1) / 2, "each taken once");
    expect(fewest[0] < 0, "everybody has taken some");
  });
}

BOOST_AUTO_TEST_CASE(an_item_is_released_on_its_own_stream_alone) {
  run_on_threads(3, [](context ctx) {
    const ranks producers[] = {{0}, {1}};
    const ranks consumers{2};
    stream first(ctx, producers[0], consumers, small), second(ctx, producers[1], consumers, small);
    if (ctx.rank() < 2) {
      stream& mine = ctx.rank() == 0 ? first : second;
      mine.send(std::vector(1, std::byte(ctx.rank())));
      mine.close();
    } else {
      const auto one = first.next(), other = second.next();
      const std::string refused = test::message_of<usage_error>([&] { second.release(*one); });
      expect(contains(refused, "not held"), refused);
      first.release(*one);
      second.release(*other);
      expect(!first.next() && !second.next());
    }
    barrier(ctx);
  });
}

BOOST_AUTO_TEST_CASE(a_rank_that_is_gone_ends_the_wait_for_its_items) {
  const auto begin = test::clock::now();
  const std::string message = test::message_of<peer_error>([] {
    run_on_threads(2, [](context ctx) {
      const ranks producers{0}, consumers{1};
      stream events(ctx, producers, consumers);
      if (ctx.rank() == 0) {
        ctx.abandon("out of beam");
        return;
      }
      (void)events.next();
    });
  });
  BOOST_TEST(contains(message, "out of beam"));
  BOOST_TEST(test::seconds_since(begin) < 10);
}

BOOST_AUTO_TEST_CASE(a_wait_in_vain_says_for_whom) {
  const std::string for_items = test::message_of<timeout_error>([] {
    run_on_threads(2, [](context ctx) {
      const ranks producers{0}, consumers{1};
      stream events(ctx, producers, consumers);
      barrier(ctx);
      ctx.set_deadline(ctx.rank() == 1 ? 50ms : 10s);
      if (ctx.rank() == 1) (void)events.next();
      barrier(ctx);
    });
  });
  BOOST_TEST(contains(for_items, "for an item of a stream: rank 0 has sent nothing more"));
  const std::string for_room = test::message_of<timeout_error>([] {
    run_on_threads(2, [](context ctx) {
      const ranks producers{0}, consumers{1};
      stream events(ctx, producers, consumers);
      barrier(ctx);
      ctx.set_deadline(ctx.rank() == 0 ? 50ms : 10s);
      while (ctx.rank() == 0) events.publish(events.reserve(1000));
      barrier(ctx);
    });
  });
  BOOST_TEST(contains(for_room, "in reserve of a stream: rank 1 has not released 4 blocks"));
}
