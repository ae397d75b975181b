#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::contains;
using test::expect;
using test::message_of;
using test::ring;

namespace {

/// Commits what `describe` says and returns the chain_error that every rank must get alike.
std::string refusal(const context& ctx, std::size_t window_bytes,
                    const std::function<void(put_chain&)>& describe) {
  window memory = window::allocate(ctx, window_bytes);
  put_chain chain(ctx, memory);
  describe(chain);
  const std::string mine = message_of<chain_error>([&] { chain.commit(); });
  std::string first = mine;
  first.resize(1000);
  broadcast(ctx, std::as_writable_bytes(std::span(first)));
  first.resize(mine.size());
  expect(mine == first, "the same message on all ranks: " + mine);
  return mine;
}

const std::vector<std::byte> bytes(10'000);
local_view view(std::size_t count) { return local_view::contiguous(std::span(bytes).first(count)); }

}  // namespace

BOOST_DATA_TEST_CASE(put_beyond_the_window_names_both_sides, test::every_job(), where) {
  where.run([](context ctx) {
    const int last = ctx.size() - 1;
    const std::string message = refusal(ctx, 4100, [&](put_chain& chain) {
      if (ctx.rank() == 0) chain.push({view(96), last, 4096});
      if (ctx.rank() == last) chain.add_origin(0);
    });
    expect(contains(message, "rank 0 puts 96 bytes at offset 4096 of rank " + std::to_string(last) +
                                 ", whose window has 4100 bytes per bank: "),
           message);
    refusal(ctx, 4100, [&](put_chain& chain) {
      if (ctx.rank() == 0) chain.push({view(96), last, ~std::size_t{0} - 10});
      if (ctx.rank() == last) chain.add_origin(0);
    });
  });
}

BOOST_DATA_TEST_CASE(puts_and_origins_without_partner_name_both_sides, test::every_job(), where) {
  where.run([](context ctx) {
    const int last = ctx.size() - 1;
    const std::string to = std::to_string(last);
    std::string message = refusal(ctx, 100, [&](put_chain& chain) {
      if (ctx.rank() == 0) {
        chain.push({view(8), last, 0});
        chain.push({view(8), last, 8});
      }
      if (ctx.rank() == last) chain.add_origin(0);
    });
    expect(contains(message, "rank 0 puts 8 bytes at offset 8 of rank " + to) &&
               contains(message, "rank " + to + " has 1 add_origin(0)"),
           message);
    message = refusal(ctx, 100, [&](put_chain& chain) {
      if (ctx.rank() == last) chain.add_origin(0);
    });
    expect(contains(message, "rank " + to + " has 1 add_origin(0), but rank 0 pushes 0 puts"),
           message);
  });
}

BOOST_DATA_TEST_CASE(overlapping_puts_name_both, test::every_job(), where) {
  where.run([](context ctx) {
    const int last = ctx.size() - 1;
    const std::string message = refusal(ctx, 5000, [&](put_chain& chain) {
      if (ctx.rank() == 0) chain.push({view(100), last, 1000});
      if (ctx.rank() == last) {
        chain.push({view(2), last, 1099});
        chain.add_origin(last);
        chain.add_origin(0);
      }
    });
    expect(contains(message, "at offset 1099 of rank ") && contains(message, "at offset 1000 of "),
           message);
  });
}

BOOST_DATA_TEST_CASE(different_windows_are_refused, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    window one = window::allocate(ctx, 10), other = window::allocate(ctx, 10);
    put_chain chain(ctx, ctx.rank() == 0 ? one : other);
    const std::string message = message_of<chain_error>([&] { chain.commit(); });
    expect(contains(message, "rank 0 commits a put chain on window"), message);
  });
}

BOOST_DATA_TEST_CASE(a_refused_chain_can_be_described_anew, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 10);
    put_chain chain(ctx, memory);
    chain.add_origin(0);
    message_of<chain_error>([&] { chain.commit(); });
    chain.clear();
    chain.commit();
    chain.start();
    chain.wait();
  });
}

BOOST_DATA_TEST_CASE(calls_out_of_order_say_what_to_do, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 100);
    put_chain chain(ctx, memory);
    const put_slot slot = chain.push({view(8), ctx.rank(), 0});
    const put_slot packed = chain.push(put::packed(8, ctx.rank(), 8));
    const notification arrival = chain.add_origin(ctx.rank());
    chain.add_origin(ctx.rank());
    const auto refused = [&](const std::function<void()>& call, const std::string& advice) {
      const std::string message = message_of<usage_error>(call);
      expect(contains(message, advice), message);
    };
    refused([&] { chain.start(); }, "commit it first");
    refused([&] { chain.wait(); }, "commit it first");
    refused([&] { chain.target_view(packed); }, "commit it first");
    refused([&] { chain.describe(); }, "commit it first");
    chain.commit();
    refused([&] { chain.commit(); }, "clear it first");
    refused([&] { chain.push({view(8), ctx.rank(), 16}); }, "clear it first");
    refused([&] { chain.add_origin(ctx.rank()); }, "clear it first");
    refused([&] { chain.wait(); }, "start it first");
    refused([&] { chain.test(); }, "start it first");
    refused([&] { chain.wait(arrival); }, "start it first");
    refused([&] { (void)chain.arrived(arrival); }, "start it first");
    refused([&] { chain.target_view(slot); }, "put::packed");
    refused([&] { chain.target_view({2, slot.of}); }, "that push of this chain returned");
    refused([&] { chain.test(notification{}); }, "start it first");
    chain.start();
    refused([&] { chain.start(); }, "wait for it first");
    refused([&] { chain.target_view(packed); }, "wait for it first");
    refused([&] { (void)chain.arrived(arrival); }, "wait for it first");
    refused([&] { chain.clear(); }, "wait for it first");
    refused([&] { chain.wait({7, arrival.of}); }, "that add_origin of this chain returned");
    chain.wait();
    refused([&] { chain.wait(); }, "start the next one first");
    chain.wait(arrival);
    expect(chain.test() && chain.source_free(slot) && chain.delivered(arrival), "all done");
  });
}

BOOST_DATA_TEST_CASE(descriptions_that_make_no_sense_are_refused, test::every_job(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 100);
    put_chain chain(ctx, memory);
    const auto refused = [](const std::function<void()>& call, const std::string& part) {
      const std::string message = message_of<usage_error>(call);
      expect(contains(message, part), message);
    };
    refused([&] { chain.push({view(8), ctx.size(), 0}); }, "names rank");
    refused([&] { chain.push({view(8), -1, 0}); }, "names rank -1");
    refused([&] { chain.add_origin(ctx.size()); }, "names rank");
    refused([&] { chain.push({view(0), 0, 0}); }, "sends nothing");
    refused([&] { chain.push({{bytes.data(), 8, 0, 8}, 0, 0}); }, "sends nothing");
    refused([&] { window::allocate(ctx, 10, 3); }, "window of 3 banks");
    refused([&] { (void)memory.bytes(ctx.size()); }, "window has no rank");
    refused([&] { (void)memory.local(2); }, "window has no bank 2");
    run_on_threads(1, [&](context other) {
      refused([&] { put_chain(other, memory); }, "belongs to another job");
    });
  });
}
