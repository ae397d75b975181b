// Puts from and to a device's memory are recognised by the driver alone, follow the stream that the
// caller names, and are never touched by the host. The driver is a fake one, its memory is not.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "device/driver/location.hpp"
#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_memory;
using test::device_stream;
using test::dice;
using test::every_real_job;
using test::expect;
using test::setting;

namespace {

void play(const context& ctx, std::uint64_t seed, test::window_kind kind, bool window_may,
          bool sources_may) {
  dice draw(seed * 100 + ctx.rank());
  const test::random_pattern pattern(seed, ctx.size(), 4 * ctx.size(), 40'000);
  test::device_player side(ctx, pattern, kind, {window_may, sources_may, seed});
  for (int exchange = 1; exchange <= 4; ++exchange) {
    side.start(exchange);
    if (draw.below(3) == 0) test::doze(ctx, std::chrono::microseconds(draw.below(200)));
    side.finish(draw);
  }
  expect(side.wrong() == 0, std::to_string(side.wrong()) + " arrivals were wrong on the device");
}

void nothing_is_left() { BOOST_TEST(test::left_behind() == 0); }

void expect_described(const test::job& where, const std::string& words) {
  where.run([&](const context& ctx) {
    test::device_ring ring(ctx);
    ring.chain().commit();
    ring.chain().start();
    ring.chain().wait();
    const std::string said = ring.chain().describe();
    expect(test::contains(said, words), said);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(memory_of_the_host_is_on_no_device) {
  std::vector<std::byte> host(100);
  const device_memory device(100), other(100, 1);
  BOOST_TEST(!device::location_of(host.data()));
  BOOST_TEST(!device::location_of(nullptr));
  BOOST_REQUIRE(device::location_of(device.span().data()));
  BOOST_TEST(device::location_of(device.span().data() + 99)->device == 0);
  BOOST_TEST(device::location_of(other.span().data())->device == 1);
}

BOOST_DATA_TEST_CASE(random_chains_between_devices_and_hosts_deliver, every_real_job(), where) {
  using enum test::window_kind;
  for (const auto& [channel, block] : {std::pair{"staged", "4096"}, {"auto", "1000000"}}) {
    const setting pieces("ONEHOP_DEVICE_BLOCK", block), way("ONEHOP_DEVICE_CHANNEL", channel);
    where.run([&](context ctx) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        play(ctx, seed, registered, true, true);
        play(ctx, seed, registered, true, false);
        play(ctx, seed, registered, false, true);
        play(ctx, seed, two_banks, false, true);
        play(ctx, seed, one_bank, false, true);
      }
      if (where.how == test::job::processes)
        expect(test::left_behind() == 0, "streams, events, pinned or opened memory are left");
    });
  }
  nothing_is_left();
}

BOOST_DATA_TEST_CASE(puts_of_a_device_leave_while_their_rank_waits_for_something_else,
                     every_real_job(), where) {
  where.run([](context ctx) {
    test::device_ring ring(ctx);
    ring.chain().commit();
    ring.chain().start();
    // Half of the ranks need the others' barrier before they wait, and the others wait before it.
    if (ctx.rank() % 2 == 0) barrier(ctx);
    ring.chain().wait();
    if (ctx.rank() % 2 != 0) barrier(ctx);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(devices_reach_each_other_where_that_works_and_say_why_not_elsewhere) {
  const test::job processes{test::job::processes, 2}, threads{test::job::threads, 2};
  expect_described(processes, "cuda_ipc: written by");
  expect_described(threads, "belongs to the same process");
  {
    const setting refused("FAKE_DRIVER_NO_IPC", "1");
    expect_described(processes, "staged in pinned memory of the host");
    expect_described(processes, "(no cuda_ipc: cuIpcGetMemHandle: what fake devices say");
    expect_described(threads, "belongs to the same process");
  }
  {
    const setting lost("FAKE_DRIVER_LOSES_IPC", "1");
    expect_described(processes, "(no cuda_ipc: what this device wrote to it did not arrive)");
  }
  const setting staged("ONEHOP_DEVICE_CHANNEL", "staged");
  expect_described(processes, "(no cuda_ipc: ONEHOP_DEVICE_CHANNEL is staged)");
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(streams_do_not_wait_for_puts_of_variable_size) {
  const test::job processes{test::job::processes, 2};
  processes.run([](const context& ctx) {
    const device_memory source(100), ghosts(100);
    const device_stream stream;
    put_chain chain(ctx, window::register_existing(ctx, ghosts.span()));
    const put_slot slot = chain.push(put::up_to(source.span(), 1 - ctx.rank(), 0));
    const notification arrival = chain.add_origin(1 - ctx.rank());
    chain.set_stream(stream.handle());
    chain.wait_on_stream();
    chain.commit();
    expect(!chain.waits_on_stream(), "the host must learn how much came");
    const std::string said = chain.describe();
    expect(test::contains(said, "is of variable size, of which the host must learn"), said);
    chain.set_bytes(slot, 7);
    chain.start();
    chain.wait();
    expect(chain.arrived(arrival).size() == 7, "seven bytes came");
  });
}

BOOST_AUTO_TEST_CASE(devices_are_refused_on_virtual_machines) {
  const test::job machine{test::job::virtual_put, 2};
  machine.run([](context ctx) {
    const device_memory source(100);
    const window memory = window::allocate(ctx, 100);
    put_chain chain(ctx, memory);
    if (ctx.rank() == 0) chain.push({local_view::contiguous(source.span()), 1, 0});
    if (ctx.rank() == 1) chain.add_origin(0);
    const std::string refused = test::message_of<usage_error>([&] { chain.commit(); });
    expect(test::contains(refused, "give memory of the host"), refused);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(managed_memory_follows_no_stream) {
  run_on_threads(1, [](const context& ctx) {
    std::byte* const managed = static_cast<std::byte*>(fake_driver::allocate_managed(100));
    fake_driver::open_to_host(managed, true);
    const std::span<std::byte> memory(managed, 100);
    const device_stream stream;
    const window host = window::allocate(ctx, 100);
    const auto push = [&](put_chain& chain) {
      chain.push({local_view::contiguous(memory), 0, 0});
      return chain.add_origin(0);
    };
    put_chain before(ctx, host), behind(ctx, host),
        into(ctx, window::register_existing(ctx, memory));
    const notification arrival = push(before);
    const std::string refused =
        test::message_of<usage_error>([&] { before.set_stream(stream.handle()); });
    expect(test::contains(refused, "the source of put 0 of a put chain with set_stream lies in"),
           refused);
    behind.set_stream(stream.handle());
    test::message_of<usage_error>([&] { push(behind); });
    const std::string window_too =
        test::message_of<usage_error>([&] { into.set_stream(stream.handle()); });
    expect(test::contains(window_too, "the window of a put chain"), window_too);
    // Without a stream it is memory of the host.
    test::fill(memory, 0, 0, 1);
    before.commit();
    before.start();
    before.wait();
    expect(test::is_filled(before.arrived(arrival), 0, 0, 1), "an arrival from managed memory");
    fake_driver::release(managed);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(what_a_device_cannot_do_is_said) {
  const setting way("ONEHOP_DEVICE_CHANNEL", "staged");
  run_on_threads(1, [](context ctx) {
    const device_memory source(9000), ghosts(9000), other(9000, 1);
    const device_stream stream;
    const window memory = window::register_existing(ctx, ghosts.span());
    const auto describe = [&](put_chain& chain, const device_memory& from) {
      chain.push({local_view::contiguous(from.span()), 0, 0});
      chain.add_origin(0);
    };
    put_chain chain(ctx, memory);
    describe(chain, source);
    chain.commit();
    const std::string refused = test::message_of<usage_error>([&] { chain.start(); });
    expect(test::contains(refused, "set_stream"), refused);
    chain.set_stream(stream.handle());
    chain.start();
    test::message_of<usage_error>([&] { chain.set_stream(nullptr); });
    chain.wait();
    expect(test::contains(chain.describe(), "in one piece"), chain.describe());
    {
      const setting pieces("ONEHOP_DEVICE_BLOCK", "4096");
      chain.clear();
      describe(chain, source);
      chain.commit();
      expect(test::contains(chain.describe(), "in 3 pieces of 4096 bytes"), chain.describe());
      chain.start();
      chain.wait();
    }
    put_chain two(ctx, memory);
    describe(two, other);
    const std::string devices = test::message_of<usage_error>([&] { two.commit(); });
    expect(test::contains(devices, "two devices"), devices);
  });
  nothing_is_left();
}
