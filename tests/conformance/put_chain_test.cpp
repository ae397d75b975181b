#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::dice;
using test::expect;
using test::ring;

BOOST_DATA_TEST_CASE(put_is_not_visible_before_notification, test::every_job(), where) {
  where.run([](context ctx) {
    ring exchange(ctx, 30'000, true);
    for (int n = 1; n <= 40; ++n) {
      exchange.fill_sources(n);
      if ((n + ctx.rank()) % 16 == 0) test::doze(ctx, 300us);
      exchange.chain.start();
      test::look_until(ctx, [&] { return exchange.chain.test(exchange.from_below); });
      test::expect_filled(exchange.chain.arrived(exchange.from_below), exchange.below, 0, n);
      exchange.chain.wait();
      exchange.expect_arrivals(n);
    }
  });
}

BOOST_DATA_TEST_CASE(chains_that_take_turns_write_where_they_have_read, test::every_job(), where) {
  where.run([](context ctx) {
    const int other = ctx.rank() ^ 1;
    if (ctx.size() % 2 != 0) return;
    put_chain chain(ctx, window::allocate(ctx, 512));
    const put_slot first = chain.push(put::packed(200, other, 0));
    const put_slot second = chain.push(put::packed_up_to(100, other, 256));
    const notification from_first = chain.add_origin(other), from_second = chain.add_origin(other);
    chain.take_turns();
    chain.commit();
    const bool shared = chain.describe().find("in turns") != std::string::npos;
    for (int n = 1; n <= 5; ++n) {
      test::fill(chain.target_view(first), ctx.rank(), 0, n);
      test::fill(chain.target_view(second), ctx.rank(), 1, n);
      chain.start();
      chain.wait();
      test::expect_filled(chain.arrived(from_first), other, 0, n);
      test::expect_filled(chain.arrived(from_second), other, 1, n);
      const bool same = chain.target_view(first).data() == chain.arrived(from_first).data() &&
                        chain.target_view(second).data() == chain.arrived(from_second).data();
      expect(!shared || same, "the memory of what came is where the next put is packed");
    }
  });
}

BOOST_DATA_TEST_CASE(puts_that_cannot_take_turns_go_as_ever, test::every_job(), where) {
  where.run([](context ctx) {
    // What goes up is longer than what comes down, and would reach from its place into the other.
    const int up = (ctx.rank() + 1) % ctx.size(), down = (ctx.rank() + ctx.size() - 1) % ctx.size();
    put_chain chain(ctx, window::allocate(ctx, 192));
    const put_slot long_one = chain.push(put::packed(100, up, 64));
    const put_slot short_one = chain.push(put::packed(60, down, 0));
    const notification from_below = chain.add_origin(down), from_above = chain.add_origin(up);
    chain.take_turns();
    chain.commit();
    for (int n = 1; n <= 4; ++n) {
      test::fill(chain.target_view(long_one), ctx.rank(), 0, n);
      test::fill(chain.target_view(short_one), ctx.rank(), 1, n);
      chain.start();
      chain.wait();
      test::expect_filled(chain.arrived(from_below), down, 0, n);
      test::expect_filled(chain.arrived(from_above), up, 1, n);
    }
  });
}

BOOST_DATA_TEST_CASE(nothing_is_notified_before_the_origin_starts, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    ring exchange(ctx, 64, true);
    const auto now_s = [&] {
      return std::chrono::duration<double>(clock_of(ctx).now().time_since_epoch()).count();
    };
    // Ranks leave a commit one after the other; the clock is one for all.
    std::array<double, 1> begin_s{now_s()};
    allreduce_max(ctx, begin_s);
    if (ctx.rank() == 0) {
      test::doze(ctx, 50ms);
    } else if (exchange.below == 0) {
      exchange.chain.start();
      // A look counts only if the clock, read after it, says that rank 0 cannot have started.
      for (;;) {
        const bool came = exchange.chain.test(exchange.from_below);
        if (now_s() >= begin_s[0] + 0.03) break;
        expect(!came, "rank 0 has not started");
      }
    }
    if (exchange.below != 0) exchange.chain.start();
    exchange.chain.wait();
  });
}

BOOST_DATA_TEST_CASE(ghosts_stay_valid_until_the_next_start, test::every_job(), where) {
  for (const auto& [symmetric, banks] : {std::pair{true, 2}, {false, 2}, {true, 1}, {false, 1}})
    where.run([symmetric = symmetric, banks = banks](context ctx) {
      ring exchange(ctx, 5000, symmetric, banks);
      dice delays(ctx.rank());
      for (int n = 1; n <= 30; ++n) {
        exchange.fill_sources(n);
        exchange.chain.start();
        exchange.chain.wait();
        exchange.fill_sources(0);
        // The neighbours run ahead meanwhile as far as the chain lets them.
        if (delays.below(8) == 0) test::doze(ctx, 500us);
        exchange.expect_arrivals(n);
      }
    });
}

BOOST_DATA_TEST_CASE(only_asymmetric_and_one_bank_patterns_take_credits, test::every_job(), where) {
  where.run([](context ctx) {
    const auto takes_credit = [&](bool symmetric, int banks) {
      return test::contains(ring(ctx, 64, symmetric, banks).chain.describe(), "with credit");
    };
    expect(!takes_credit(true, 2), "symmetric, two banks");
    expect(takes_credit(true, 1), "one bank");
    // On a ring of two, and of one, a put to the next rank is also one from the next.
    expect(takes_credit(false, 2) == (ctx.size() > 2), "asymmetric, two banks");
  });
}

BOOST_DATA_TEST_CASE(asymmetric_origin_waits_for_its_target, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    // Rank 0 only sends, rank 1 only receives and is slow.
    window memory = window::allocate(ctx, 1000);
    std::vector<std::byte> source(1000);
    put_chain chain(ctx, memory);
    notification arrival;
    if (ctx.rank() == 0) chain.push({local_view::contiguous(source), 1, 0});
    if (ctx.rank() == 1) arrival = chain.add_origin(0);
    chain.commit();
    for (int n = 1; n <= 20; ++n) {
      test::fill(source, 0, 0, n);
      chain.start();
      chain.wait();
      if (ctx.rank() != 1) continue;
      test::doze(ctx, 1ms);
      test::expect_filled(chain.arrived(arrival), 0, 0, n);
    }
  });
}

BOOST_DATA_TEST_CASE(strided_sources_arrive_end_to_end, test::every_job(), where) {
  where.run([](context ctx) {
    constexpr std::size_t block = 24, blocks = 17, stride = 100;
    std::vector<std::byte> field(blocks * stride);
    test::fill(field, ctx.rank(), 0, 1);
    window memory = window::allocate(ctx, 2 * block * blocks + 8);
    put_chain chain(ctx, memory);
    const int target = (ctx.rank() + 1) % ctx.size();
    const int origin = (ctx.rank() + ctx.size() - 1) % ctx.size();
    chain.push({{field.data() + 3, block, blocks, stride}, target, 8});
    const std::byte* last = field.data() + 3 + (blocks - 1) * stride;
    chain.push({{last, block, blocks, -static_cast<int>(stride)}, target, 8 + block * blocks});
    const notification forward = chain.add_origin(origin), backward = chain.add_origin(origin);
    chain.commit();
    chain.start();
    chain.wait();
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t i = 0; i < block; ++i) {
        const std::byte expected = test::pattern(origin, 0, 1, 3 + b * stride + i);
        expect(chain.arrived(forward)[b * block + i] == expected, "forward");
        expect(chain.arrived(backward)[(blocks - 1 - b) * block + i] == expected, "backward");
      }
  });
}

BOOST_DATA_TEST_CASE(registered_memory_changes_in_wait_and_test_only, test::every_job(), where) {
  where.run([](context ctx) {
    std::vector<std::byte> mine(300 + 10 * ctx.rank()), source(200);
    const window memory = window::register_existing(ctx, mine);
    expect(memory.banks() == 1 && memory.local().data() == mine.data(), "the caller's own");
    expect(memory.bytes(ctx.size() - 1) == 290u + 10 * ctx.size(), "sizes may differ");
    put_chain chain(ctx, memory);
    chain.push(
        {local_view::contiguous(std::span(source).first(120)), (ctx.rank() + 1) % ctx.size(), 7});
    const put_slot slot = chain.push(put::packed(80, (ctx.rank() + 1) % ctx.size(), 127));
    const int origin = (ctx.rank() + ctx.size() - 1) % ctx.size();
    const notification first = chain.add_origin(origin), second = chain.add_origin(origin);
    chain.commit();
    for (int n = 1; n <= 10; ++n) {
      test::fill(source, ctx.rank(), 0, n);
      test::fill(chain.target_view(slot), ctx.rank(), 1, n);
      const std::vector<std::byte> before = mine;
      chain.start();
      barrier(ctx);
      test::doze(ctx, 100us);
      expect(mine == before, "nothing before it is asked for");
      chain.wait(second);
      test::expect_filled(std::span(mine).subspan(127, 80), origin, 1, n);
      expect(std::equal(&mine[0], &mine[127], before.begin()), "the other face not yet");
      chain.wait();
      test::expect_filled(std::span(mine).subspan(7, 120), origin, 0, n);
      expect(chain.arrived(first).data() == &mine[7], "where it was put");
      expect(std::equal(&mine[207], mine.data() + mine.size(), &before[207]), "nothing else");
    }
  });
}

BOOST_DATA_TEST_CASE(windows_hold_from_one_byte_to_beyond_32_bits, test::every_job(), where) {
  where.run([](context ctx) {
    // Pages that nobody touches cost nothing on transports that do not reserve them.
    const bool sparse = ctx.transport() == "self" || ctx.transport() == "mpi_p2p";
    const std::size_t large = std::size_t{5} << 30;
    const int target = (ctx.rank() + 1) % ctx.size();
    const int origin = (ctx.rank() + ctx.size() - 1) % ctx.size();
    for (const std::size_t bytes : {std::size_t{1}, sparse ? large : std::size_t{1} << 20}) {
      const window memory = window::allocate(ctx, bytes);
      put_chain chain(ctx, memory);
      std::byte source{};
      chain.push({local_view::contiguous({&source, 1}), target, bytes - 1});
      const notification arrival = chain.add_origin(origin);
      chain.commit();
      for (int n = 1; n <= 5; ++n) {
        source = test::pattern(ctx.rank(), 0, n, 0);
        chain.start();
        chain.wait();
        test::expect_filled(chain.arrived(arrival), origin, 0, n);
      }
    }
  });
}

BOOST_DATA_TEST_CASE(packed_puts_are_written_where_target_view_says, test::every_job(), where) {
  for (const int banks : {2, 1})
    where.run([banks](context ctx) {
      window memory = window::allocate(ctx, 3000, banks);
      put_chain chain(ctx, memory);
      const int target = (ctx.rank() + 1) % ctx.size();
      const int origin = (ctx.rank() + ctx.size() - 1) % ctx.size();
      const put_slot slot = chain.push(put::packed(1000, target, 77));
      const notification arrival = chain.add_origin(origin);
      chain.commit();
      const bool safe = banks == 2 && ctx.size() <= 2;
      const bool any = ctx.transport() == "adversary" || ctx.transport().starts_with("mpi_") ||
                       ctx.transport() == "mixed";
      expect(chain.direct(slot) ? safe : any || !safe, "direct where it is safe");
      for (int n = 1; n <= 50; ++n) {
        expect(chain.target_view(slot).size() == 1000, "no byte past what travels");
        test::fill(chain.target_view(slot), ctx.rank(), 0, n);
        chain.start();
        chain.wait();
        expect(chain.arrived(arrival).size() == 1000, "no byte past what came");
        test::expect_filled(chain.arrived(arrival), origin, 0, n);
      }
    });
}

BOOST_DATA_TEST_CASE(chains_in_flight_together_keep_apart, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 2 * 512);
    const int target = (ctx.rank() + 1) % ctx.size();
    const int origin = (ctx.rank() + ctx.size() - 1) % ctx.size();
    std::vector<std::byte> sources[2] = {std::vector<std::byte>(512), std::vector<std::byte>(512)};
    std::vector<put_chain> chains;
    notification arrivals[2];
    for (int c = 0; c < 2; ++c) {
      chains.emplace_back(ctx, memory);
      chains[c].push({local_view::contiguous(sources[c]), target, 512u * c});
      arrivals[c] = chains[c].add_origin(origin);
      chains[c].commit();
    }
    int exchanges[2] = {0, 0};
    dice order(5);
    for (int turn = 0; turn < 40; ++turn) {
      // The second chain runs one, two or three exchanges while the first is in flight.
      const auto run = [&](int c) {
        test::fill(sources[c], ctx.rank(), c, ++exchanges[c]);
        chains[c].start();
      };
      const auto finish = [&](int c) {
        chains[c].wait();
        test::expect_filled(chains[c].arrived(arrivals[c]), origin, c, exchanges[c]);
      };
      run(0);
      for (std::uint64_t i = 0; i <= order.below(3); ++i) run(1), finish(1);
      finish(0);
    }
  });
}

BOOST_DATA_TEST_CASE(a_cleared_chain_describes_another_exchange, test::every_job(), where) {
  where.run([](context ctx) {
    ring exchange(ctx, 256, true);
    for (int round = 0; round < 20; ++round) {
      exchange.fill_sources(round);
      exchange.chain.start();
      exchange.chain.wait();
      exchange.expect_arrivals(round);
      exchange.chain.clear();
      exchange.chain.push({local_view::contiguous(exchange.up), exchange.above, 0});
      exchange.chain.push({local_view::contiguous(exchange.down), exchange.below, 256});
      exchange.from_below = exchange.chain.add_origin(exchange.below);
      exchange.from_above = exchange.chain.add_origin(exchange.above);
      exchange.chain.commit();
    }
  });
}

BOOST_DATA_TEST_CASE(empty_chains_and_silent_ranks_are_ordinary, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 0);
    put_chain chain(ctx, memory);
    chain.commit();
    for (int n = 0; n < 3; ++n) {
      chain.start();
      chain.wait();
    }
    expect(chain.describe().empty(), "no put to describe");
  });
}
