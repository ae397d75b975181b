/// Collectives of device memory through the hosts, messages over several rails, and memories of two
/// kinds run here on machines whose times are known.

#include <boost/test/unit_test.hpp>
#include <functional>
#include <onehop/alltoall.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using virtual_machine::machine;

namespace {

constexpr netsim::picoseconds microsecond = 1'000'000;
constexpr double copy_rate = 1e9;

/// Returns a machine whose GPUs' memory is copied to the host in 10 us and a nanosecond per byte.
machine with_copies(bool always, std::size_t block = 0) {
  machine made = test::small_machine("put", netsim::memory::device);
  netsim::machine_description& what = made.description;
  what.stages.push_back({"copy", "", netsim::copy_engine{10 * microsecond, 0, copy_rate}});
  const auto copy = static_cast<std::uint32_t>(what.stages.size() - 1);
  using enum netsim::memory;
  what.paths.push_back({"host", host, host, {0, 1}, {2}, 0, 0});
  what.paths.push_back({"out", device, host, {copy}, {}, 0, 0});
  what.paths.push_back({"in", host, device, {}, {copy}, 0, 0});
  what.protocols.push_back({"between", "pinned", host, host, 0, UINT64_MAX, 0, 1, -1, -1, -1});
  netsim::collective_software software;
  software.variant = "put";
  software.staging_variant = "pinned";
  software.copy_out = 2;
  software.copy_in = 3;
  software.is_staged = always;
  software.staging_block = block;
  what.collectives = {software};
  return made;
}

/// Returns how long `work` takes from the moment at which all ranks begin until the last is
/// through.
std::int64_t nanoseconds_of(int ranks, const machine& on,
                            const std::function<void(const context&)>& prepare_and_work) {
  std::int64_t last = 0;
  virtual_machine::run(ranks, on, [&](context ctx) {
    const auto mine = clock_of(ctx).now();
    clock::time_point latest = mine;
    for (const auto& theirs : allgather(ctx, mine)) latest = std::max(latest, theirs);
    constexpr int sleepy_turn = 1 << 20;
    while (!clock_of(ctx).idle(sleepy_turn, latest + std::chrono::microseconds(100))) {
    }
    const auto begin = clock_of(ctx).now();
    prepare_and_work(ctx);
    last = std::max(last, (clock_of(ctx).now() - begin).count());
  });
  return last;
}

void gather(const context& ctx, std::size_t bytes) {
  const std::vector<std::byte> mine(bytes, static_cast<std::byte>(ctx.rank() + 1));
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(ctx.size()));
  allgather(ctx, mine, all);
  for (std::size_t k = 0; k < all.size(); ++k)
    test::expect(all[k] == static_cast<std::byte>(k / bytes + 1), "allgather");
}

void exchange_all(const context& ctx, alltoall& exchange, std::size_t bytes) {
  const auto ranks = static_cast<std::size_t>(ctx.size()),
             self = static_cast<std::size_t>(ctx.rank());
  std::vector<std::byte> send(ranks * bytes), receive(send.size());
  for (std::size_t k = 0; k < send.size(); ++k)
    send[k] = static_cast<std::byte>(self * ranks + k / bytes);
  exchange.run(send, receive);
  for (std::size_t k = 0; k < receive.size(); ++k)
    test::expect(receive[k] == static_cast<std::byte>(k / bytes * ranks + self), "alltoall");
}

std::int64_t nanoseconds_of_staged_alltoall(int ranks, std::size_t bytes, std::size_t block) {
  return nanoseconds_of(ranks, with_copies(false, block), [&](const context& ctx) {
    alltoall exchange(ctx, bytes, alltoall_schedule::staged);
    exchange_all(ctx, exchange, bytes);
  });
}

/// Returns a machine with two rails of a switch, the engine as fast as both; messages beyond
/// `stripe` go over both.
machine with_rails(std::uint64_t stripe) {
  machine made = test::small_machine("put");
  netsim::fabric& net = made.description.fabrics.front();
  net.shape = {};
  net.shape.kind = netsim::topology_kind::fat_tree;
  net.shape.levels = {{8, 1}};
  net.shape.rails = 2;
  made.description.paths.front().stripe_bytes = stripe;
  made.description.protocols = {
      {"whole", "put", netsim::memory::host, netsim::memory::host, 0, UINT64_MAX, 0, 0}};
  return made;
}

void put_once(const context& ctx, std::size_t bytes) {
  const window memory = window::allocate(ctx, bytes);
  const std::vector<std::byte> own(bytes, std::byte{42});
  put_chain chain(ctx, memory);
  notification arrival{};
  if (ctx.rank() == 0) chain.push({local_view::contiguous(own), 1, 0});
  if (ctx.rank() == 1) arrival = chain.add_origin(0);
  chain.commit();
  chain.start();
  chain.wait();
  if (ctx.rank() == 1)
    for (const std::byte one : chain.arrived(arrival)) test::expect(one == std::byte{42}, "put");
}

std::int64_t nanoseconds_of_put(const machine& on, std::size_t bytes) {
  // The time of a put of no bytes is subtracted, since making the chain takes the same for all
  // sizes.
  return nanoseconds_of(2, on, [&](const context& ctx) { put_once(ctx, bytes); }) -
         nanoseconds_of(2, on, [&](const context& ctx) { put_once(ctx, 1); });
}

/// Returns a machine with algorithms of broadcasts, allgathers and sums, by schedules with all that
/// an algorithm may say.
machine with_algorithms(std::string_view staging) {
  machine made = with_copies(false);
  const auto take = [&](const char* operation, const char* schedule, std::uint64_t most,
                        std::uint32_t fan = 2, std::uint64_t segment = 0) {
    netsim::collective_algorithm one;
    one.name = schedule;
    one.variant = "put";
    one.operation = operation;
    one.schedule = schedule;
    one.most_bytes = most;
    one.fan = fan;
    one.segment_bytes = segment;
    one.staging = staging;
    one.copies_out = 2;
    made.description.algorithms.push_back(one);
  };
  take("broadcast", "k-nomial", 5000, 4, 700);
  take("broadcast", "scatter-allgather", UINT64_MAX);
  take("allgather", "recursive-doubling", 20000);
  take("allgather", "ring", UINT64_MAX);
  take("allreduce", "recursive-doubling", 1000);
  take("allreduce", "reduce-scatter", UINT64_MAX);
  return made;
}

void sum(const context& ctx, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<double>(k + 1) / (1 + ctx.rank());
  std::vector<double> wanted(count);
  for (int rank = 0; rank < ctx.size(); ++rank)
    for (std::size_t k = 0; k < count; ++k) wanted[k] += static_cast<double>(k + 1) / (1 + rank);
  allreduce_sum(ctx, values);
  test::expect(values == wanted, "allreduce");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_algorithm_brings_every_bit_to_any_number_of_ranks) {
  for (const char* staging : {"none", "whole", "parts"})
    for (const int ranks : {1, 2, 3, 5, 7, 8})
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{12345}}) {
        virtual_machine::run(ranks, with_algorithms(staging), [&](const context& ctx) {
          gather(ctx, bytes);
          sum(ctx, (bytes + 7) / 8);
          std::vector<std::byte> all(bytes, static_cast<std::byte>(ctx.rank()));
          const int root = ctx.size() - 1;
          broadcast(ctx, std::span(all), root);
          for (const std::byte one : all)
            test::expect(one == static_cast<std::byte>(root), "broadcast");
        });
      }
}

BOOST_AUTO_TEST_CASE(parts_are_copied_while_the_next_come) {
  constexpr std::int64_t bytes = 40'000;
  const auto of = [](std::string_view staging) {
    return nanoseconds_of(8, with_algorithms(staging),
                          [](const context& ctx) { gather(ctx, bytes); });
  };
  // In parts, seven parts of a nanosecond a byte are copied back, all but the last beside a
  // message; as a whole, eight are at the end.
  BOOST_TEST(of("parts") < of("whole") - 2 * bytes);
  BOOST_TEST(of("parts") > of("none"));
}

BOOST_AUTO_TEST_CASE(a_short_copy_takes_the_way_of_short_ones) {
  machine quick = with_copies(true);
  netsim::collective_software& software = quick.description.collectives.front();
  quick.description.stages.push_back({"quick", "", netsim::copy_engine{microsecond, 0, copy_rate}});
  const auto copy = static_cast<std::uint32_t>(quick.description.stages.size() - 1);
  using enum netsim::memory;
  quick.description.paths.push_back({"quick-out", device, host, {copy}, {}, 0, 0});
  quick.description.paths.push_back({"quick-in", host, device, {}, {copy}, 0, 0});
  software.short_out = 4;
  software.short_in = 5;
  software.short_most = 400;
  const auto time_on = [](const machine& on, std::size_t bytes) {
    return nanoseconds_of(4, on, [&](const context& ctx) { gather(ctx, bytes); });
  };
  // The copies out take 100 or 400 bytes, in four times as many copies.
  BOOST_TEST(time_on(with_copies(true), 100) - time_on(quick, 100) == 18'000);
  BOOST_TEST(time_on(with_copies(true), 400) - time_on(quick, 400) == 9'000);
  BOOST_TEST(time_on(with_copies(true), 401) == time_on(quick, 401));
}

BOOST_AUTO_TEST_CASE(a_staged_collective_takes_that_of_the_hosts_and_two_copies) {
  constexpr std::int64_t bytes = 400;
  const auto time_on = [](const machine& on) {
    return nanoseconds_of(4, on, [](const context& ctx) { gather(ctx, bytes); });
  };
  const auto of_hosts = time_on(test::small_machine("put"));
  BOOST_TEST(time_on(with_copies(false)) == of_hosts);
  BOOST_TEST(time_on(with_copies(true)) - of_hosts == 20'000 + 5 * bytes);
}

BOOST_AUTO_TEST_CASE(a_broadcast_is_copied_out_at_the_root_and_in_elsewhere) {
  const auto of = [](const machine& on) {
    return nanoseconds_of(4, on, [](const context& ctx) {
      std::vector<std::byte> all(1000, static_cast<std::byte>(ctx.rank()));
      broadcast(ctx, std::span(all), 2);
      for (const std::byte one : all) test::expect(one == std::byte{2}, "broadcast");
    });
  };
  BOOST_TEST(of(with_copies(true)) - of(test::small_machine("put")) == 22'000);
}

BOOST_AUTO_TEST_CASE(blocks_of_a_staged_alltoall_overlap) {
  constexpr std::size_t bytes = 40'000;
  const auto whole = nanoseconds_of_staged_alltoall(8, bytes, 0);
  const auto in_blocks = nanoseconds_of_staged_alltoall(8, bytes, 2 * bytes);
  // Eight parts go out and in, one after the other, and between them is at least one message.
  const auto copies = 2 * (10'000 + 8 * static_cast<std::int64_t>(bytes));
  BOOST_TEST(whole > copies + static_cast<std::int64_t>(bytes) / 2);
  // There are four copies in each direction; those in begin while others still go out.
  BOOST_TEST(in_blocks < whole - 2 * static_cast<std::int64_t>(bytes));
  BOOST_TEST(in_blocks > 4 * (10'000 + 2 * static_cast<std::int64_t>(bytes)));
  for (const int ranks : {2, 3, 5, 7})
    for (const std::size_t block : {std::size_t{0}, bytes, 3 * bytes})
      BOOST_TEST(nanoseconds_of_staged_alltoall(ranks, bytes, block) > 20'000);
}

BOOST_AUTO_TEST_CASE(a_staged_alltoall_without_copies_is_refused_in_one_line) {
  const machine on = test::small_machine("put", netsim::memory::device);
  const std::string message = test::message_of<usage_error>([&] {
    virtual_machine::run(2, on, [](context ctx) {
      alltoall exchange(ctx, 8, alltoall_schedule::staged);
      exchange_all(ctx, exchange, 8);
    });
  });
  BOOST_TEST(test::contains(message, "copies from the device"), message);
}

BOOST_AUTO_TEST_CASE(a_striped_message_uses_both_rails) {
  constexpr std::size_t bytes = 1 << 20;
  const auto one_rail = nanoseconds_of_put(with_rails(UINT64_MAX), bytes);
  const auto two_rails = nanoseconds_of_put(with_rails(16384), bytes);
  BOOST_TEST(static_cast<double>(one_rail) / static_cast<double>(two_rails) == 2.0,
             boost::test_tools::tolerance(0.05));
  // Up to the limit nothing changes.
  BOOST_TEST(nanoseconds_of_put(with_rails(UINT64_MAX), 16384) ==
             nanoseconds_of_put(with_rails(16384), 16384));
}

BOOST_AUTO_TEST_CASE(sources_and_windows_may_lie_in_different_memories) {
  machine mixed = with_copies(false);
  using enum netsim::memory;
  mixed.description.protocols.push_back({"read", "put", device, host, 0, UINT64_MAX, 0, 1});
  mixed.windows = host;
  BOOST_TEST(nanoseconds_of_put(mixed, 1000) ==
             nanoseconds_of_put(test::small_machine("put"), 1000));
  machine none = with_copies(false);
  none.windows = host;
  const std::string message = test::message_of<usage_error>([&] { nanoseconds_of_put(none, 8); });
  BOOST_TEST(
      test::contains(message, "from device to host memory; it has put from device to device"),
      message);
}
