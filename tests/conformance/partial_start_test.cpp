// Exchanges are started in part here: each put leaves when its caller makes it ready.

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::contains;
using test::expect;
using test::message_of;

namespace {

/// In a pair_of_puts each rank puts twice to the next, packed and from memory of its own.
struct pair_of_puts {
  static constexpr std::size_t bytes = 700;

  context ctx;
  int next, previous;
  std::vector<std::byte> source = std::vector<std::byte>(bytes);
  window memory;
  put_chain chain;
  put_slot packed, own;
  notification from_packed, from_own;

  explicit pair_of_puts(const context& c, int banks = 2, bool own_first = false)
      : ctx(c),
        next((c.rank() + 1) % c.size()),
        previous((c.rank() + c.size() - 1) % c.size()),
        memory(window::allocate(c, 2 * bytes, banks)),
        chain(c, memory) {
    if (own_first) own = chain.push({local_view::contiguous(source), next, bytes});
    packed = chain.push(put::packed(bytes, next, 0));
    if (!own_first) own = chain.push({local_view::contiguous(source), next, bytes});
    (own_first ? from_own : from_packed) = chain.add_origin(previous);
    (own_first ? from_packed : from_own) = chain.add_origin(previous);
    chain.commit();
  }
  void send_packed(int n) {
    test::fill(chain.target_view(packed), ctx.rank(), 0, n);
    chain.ready(packed);
  }
  void send_own(int n) {
    test::fill(source, ctx.rank(), 1, n);
    chain.ready(own);
  }
  void expect_arrivals(int n) const {
    test::expect_filled(chain.arrived(from_packed), previous, 0, n);
    test::expect_filled(chain.arrived(from_own), previous, 1, n);
  }
};

void expect_refusals(const context& ctx) {
  pair_of_puts p(ctx);
  const auto refused = [](const std::function<void()>& call, const std::string& advice) {
    const std::string message = message_of<usage_error>(call);
    expect(contains(message, advice), message);
  };
  refused([&] { p.chain.ready(p.own); }, "call start_partial first");
  p.chain.start_partial();
  refused([&] { p.chain.start(); }, "wait for it first");
  refused([&] { p.chain.start_partial(); }, "wait for it first");
  refused([&] { p.chain.wait(); }, "put 0 has not been made ready");
  refused([&] { p.chain.clear(); }, "wait for it first");
  p.send_packed(1);
  refused([&] { p.chain.ready(p.packed); }, "which exchange 1 has sent already");
  refused([&] { p.chain.target_view(p.packed); }, "wait for it first");
  refused([&] { p.chain.wait(); }, "put 1 has not been made ready");
  p.send_own(1);
  p.chain.wait();
  refused([&] { p.chain.ready(p.own); }, "call start_partial first");
}

}  // namespace

BOOST_DATA_TEST_CASE(a_put_is_visible_once_it_is_ready_and_not_before, test::every_job(), where) {
  for (const int banks : {1, 2})
    where.run([banks](context ctx) {
      pair_of_puts p(ctx, banks);
      for (int n = 1; n <= 12; ++n) {
        p.chain.start_partial();
        p.send_packed(n);
        p.chain.wait(p.from_packed);
        test::expect_filled(p.chain.arrived(p.from_packed), p.previous, 0, n);
        // What one rank has yet to make ready is not seen by another, however long it looks.
        barrier(ctx);
        for (int look = 0; look < 5; ++look)
          expect(!p.chain.test(p.from_own) && !p.chain.test(), "nothing before it is ready");
        expect(!p.chain.source_free(p.own), "a source that is yet to be read");
        barrier(ctx);
        p.send_own(n);
        if (n % 3 == 0) test::doze(ctx, 200us);
        p.chain.wait();
        p.expect_arrivals(n);
      }
    });
}

BOOST_DATA_TEST_CASE(puts_to_one_target_arrive_in_the_order_of_push, test::every_job(), where) {
  where.run([](context ctx) {
    pair_of_puts p(ctx, 2, true);
    for (int n = 1; n <= 8; ++n) {
      p.chain.start_partial();
      p.send_packed(n);
      barrier(ctx);
      expect(!p.chain.test(p.from_own), "nothing before it is ready");
      barrier(ctx);
      p.send_own(n);
      p.chain.wait(p.from_packed);
      p.chain.wait();
      p.expect_arrivals(n);
    }
  });
}

BOOST_DATA_TEST_CASE(whole_and_partial_starts_take_turns, test::every_job(), where) {
  where.run([](context ctx) {
    pair_of_puts p(ctx);
    for (int n = 1; n <= 20; ++n) {
      // Ranks need not agree on how they start an exchange.
      if ((n + ctx.rank()) % 3 == 0) {
        test::fill(p.chain.target_view(p.packed), ctx.rank(), 0, n);
        test::fill(p.source, ctx.rank(), 1, n);
        p.chain.start();
      } else {
        p.chain.start_partial();
        p.send_own(n);
        p.send_packed(n);
      }
      p.chain.wait();
      p.expect_arrivals(n);
    }
  });
}

BOOST_DATA_TEST_CASE(a_put_without_room_leaves_while_its_rank_waits_for_something_else,
                     test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 64, 1);
    put_chain chain(ctx, memory);
    const int last = ctx.size() - 1;
    put_slot slot;
    notification arrival;
    if (ctx.rank() == 0) slot = chain.push(put::packed(64, last, 0));
    if (ctx.rank() == last) arrival = chain.add_origin(0);
    chain.commit();
    for (int n = 1; n <= 6; ++n) {
      if (ctx.rank() == 0) {
        chain.start_partial();
        test::fill(chain.target_view(slot), 0, 0, n);
        // The target, with one bank, has not started, and does not before this rank has returned.
        chain.ready(slot);
      }
      barrier(ctx);
      if (ctx.rank() != 0) chain.start();
      if (ctx.rank() == last) {
        chain.wait(arrival);
        test::expect_filled(chain.arrived(arrival), 0, 0, n);
      }
      barrier(ctx);
      chain.wait();
    }
  });
}

BOOST_DATA_TEST_CASE(a_size_may_be_set_until_the_put_is_ready, test::every_job(), where) {
  where.run([](context ctx) {
    const int next = (ctx.rank() + 1) % ctx.size();
    const int previous = (ctx.rank() + ctx.size() - 1) % ctx.size();
    window memory = window::allocate(ctx, 300);
    put_chain chain(ctx, memory);
    const put_slot slot = chain.push(put::packed_up_to(300, next, 0));
    const notification arrival = chain.add_origin(previous);
    chain.commit();
    for (int n = 1; n <= 12; ++n) {
      const auto length = static_cast<std::size_t>(n * 53 % 301);
      chain.start_partial();
      test::fill(chain.target_view(slot).first(length), ctx.rank(), 0, n);
      chain.set_bytes(slot, length);
      chain.ready(slot);
      message_of<usage_error>([&] { chain.set_bytes(slot, 1); });
      chain.wait();
      expect(chain.arrived(arrival).size() == length, "length of an arrival");
      test::expect_filled(chain.arrived(arrival), previous, 0, n);
    }
  });
}

BOOST_DATA_TEST_CASE(chains_without_puts_start_in_part_too, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 8);
    put_chain empty(ctx, memory);
    empty.commit();
    for (int n = 0; n < 3; ++n) {
      empty.start_partial();
      empty.wait();
    }
  });
}

BOOST_DATA_TEST_CASE(calls_between_a_partial_start_and_its_wait_say_what_to_do, test::every_job(),
                     where) {
  where.run([](context ctx) { expect_refusals(ctx); });
}
