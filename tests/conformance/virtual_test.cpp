#include <array>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/idle.hpp>
#include <onehop/put_chain.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::expect;

namespace {

/// A single_message says when the network alone delivers one message from node 0 to node 1.
class single_message final : public netsim::listener {
 public:
  explicit single_message(std::uint64_t bytes)
      : network_(test::small_machine("put").description, *this) {
    netsim::message sent;
    sent.target = 1;
    sent.bytes = bytes;
    network_.post(sent);
    network_.run();
  }
  netsim::picoseconds arrival() const { return arrival_; }

 private:
  void source_free(std::uint64_t) override {}
  void delivered(std::uint64_t) override { arrival_ = network_.now(); }
  void alarm(std::uint64_t) override {}

  netsim::picoseconds arrival_ = 0;
  netsim::network network_;
};

/// Returns on all ranks at the same moment.
void synchronise(const context& ctx) {
  const auto mine = clock_of(ctx).now();
  clock::time_point last = mine;
  for (const auto& theirs : allgather(ctx, mine)) last = std::max(last, theirs);
  test::doze(ctx, last - mine + std::chrono::microseconds(100));
}

/// Returns the time of a put of these bytes, or of as many of a put that may send `most` of them.
std::int64_t nanoseconds_of_put(std::size_t bytes, const std::string& variant = "put",
                                std::size_t most = 0) {
  std::int64_t taken = 0;
  virtual_machine::run(2, test::small_machine(variant), [&](context ctx) {
    const window memory = window::allocate(ctx, std::max(bytes, most));
    std::vector<std::byte> own(std::max(bytes, most));
    put_chain chain(ctx, memory);
    put_slot slot;
    if (ctx.rank() == 0)
      slot = chain.push(most > 0 ? put::up_to(own, 1, 0) : put{local_view::contiguous(own), 1, 0});
    if (ctx.rank() == 1) chain.add_origin(0);
    chain.commit();
    if (most > 0 && ctx.rank() == 0) chain.set_bytes(slot, bytes);
    synchronise(ctx);
    const auto begin = clock_of(ctx).now();
    chain.start();
    chain.wait();
    if (ctx.rank() == 1) taken = (clock_of(ctx).now() - begin).count();
  });
  return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_put_takes_what_the_network_takes_for_its_message) {
  for (const std::size_t bytes : {8, 500, 1024, 2048})
    BOOST_TEST(nanoseconds_of_put(bytes) == single_message(bytes).arrival() / 1000);
}

BOOST_AUTO_TEST_CASE(of_a_put_of_variable_size_only_what_is_set_travels) {
  for (const std::size_t bytes : {8, 500, 1024, 2048})
    BOOST_TEST(nanoseconds_of_put(bytes, "put", 4096) == single_message(bytes).arrival() / 1000);
  BOOST_TEST(nanoseconds_of_put(0, "put", 4096) == single_message(1).arrival() / 1000);
}

BOOST_AUTO_TEST_CASE(a_rank_that_idles_comes_back_at_the_moment_that_it_named) {
  virtual_machine::run(2, test::small_machine("put"), [&](context ctx) {
    const auto until = ctx.now() + std::chrono::nanoseconds(1'234'567 + ctx.rank());
    int turn = 0;
    while (ctx.now() < until) idle(ctx, turn++, until);
    expect(ctx.now() == until && turn == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_rendezvous_waits_for_request_and_grant) {
  const auto word = single_message(8).arrival(), data = single_message(1000).arrival();
  BOOST_TEST(nanoseconds_of_put(1000, "mpi") == (2 * word + data) / 1000);
  BOOST_TEST(nanoseconds_of_put(200, "mpi") == single_message(200).arrival() / 1000);
}

BOOST_AUTO_TEST_CASE(blocks_follow_each_other) {
  // Software is paid per block and overlaps with the block before; the link is the limit.
  const double one = static_cast<double>(nanoseconds_of_put(10 * 1024));
  const double two = static_cast<double>(nanoseconds_of_put(20 * 1024));
  BOOST_TEST(two - one == 10 * (1024 + 16) / 2.0, boost::test_tools::tolerance(1e-2));
}

BOOST_AUTO_TEST_CASE(a_broadcast_between_two_takes_as_long_as_a_put) {
  const auto of_broadcast = [](std::size_t bytes, const std::string& variant) {
    std::int64_t taken = 0;
    virtual_machine::run(2, test::small_machine(variant), [&](context ctx) {
      std::vector<std::byte> all(bytes);
      synchronise(ctx);
      const auto begin = clock_of(ctx).now();
      broadcast(ctx, std::span(all), 0);
      if (ctx.rank() == 1) taken = (clock_of(ctx).now() - begin).count();
    });
    return taken;
  };
  // The cases are one piece and blocks; eager, by rendezvous, with a request only, with a grant
  // that was not requested and a notice.
  for (const auto& [variant, bytes] : std::vector<std::pair<std::string, std::size_t>>{
           {"put", 8}, {"put", 10240}, {"mpi", 200}, {"mpi", 1000}, {"mpi", 5000}, {"mpi", 10000}})
    BOOST_TEST(of_broadcast(bytes, variant) == nanoseconds_of_put(bytes, variant),
               variant << " of " << bytes << " bytes");
}

BOOST_AUTO_TEST_CASE(a_tree_costs_its_depth) {
  // A barrier of 8 by dissemination takes three words one after the other.
  std::int64_t taken = 0;
  virtual_machine::run(2, test::small_machine("put"), [&](context ctx) {
    synchronise(ctx);
    const auto begin = clock_of(ctx).now();
    barrier(ctx);
    taken = (clock_of(ctx).now() - begin).count();
  });
  BOOST_TEST(taken == single_message(8).arrival() / 1000);
}

BOOST_AUTO_TEST_CASE(only_data_in_device_memory_pays_for_a_copy_there) {
  const auto of_gather = [](netsim::memory where, netsim::picoseconds copy) {
    auto machine = test::small_machine("put", where);
    netsim::collective_software software;
    software.variant = "put";
    software.entry = copy;
    machine.description.collectives = {software};
    std::int64_t taken = 0;
    virtual_machine::run(2, machine, [&](context ctx) {
      synchronise(ctx);
      const auto begin = clock_of(ctx).now();
      allgather(ctx, 1.0);
      taken = (clock_of(ctx).now() - begin).count();
    });
    return taken;
  };
  constexpr netsim::picoseconds copy = 7'000'000;
  using enum netsim::memory;
  BOOST_TEST(of_gather(device, copy) - of_gather(device, 0) == copy / 1000);
  BOOST_TEST(of_gather(host, copy) == of_gather(host, 0));
}

BOOST_AUTO_TEST_CASE(the_same_program_takes_the_same_virtual_time) {
  const auto time_of_run = [] {
    std::int64_t end = 0;
    virtual_machine::run(5, test::small_machine("put"), [&](context ctx) {
      test::ring exchange(ctx, 5000, true);
      for (int n = 1; n <= 20; ++n) {
        exchange.fill_sources(n);
        exchange.chain.start();
        exchange.chain.wait();
        exchange.expect_arrivals(n);
      }
      end = std::max(end, clock_of(ctx).now().time_since_epoch().count());
    });
    return end;
  };
  BOOST_TEST(time_of_run() == time_of_run());
}

BOOST_AUTO_TEST_CASE(work_takes_the_time_of_the_machines_gpu) {
  std::int64_t taken = 0;
  virtual_machine::run(1, test::small_machine("put", netsim::memory::device), [&](context ctx) {
    const auto begin = clock_of(ctx).now();
    ctx.work({.flops = 1e6, .bytes = 2e6, .launches = 2});
    taken = (clock_of(ctx).now() - begin).count();
  });
  // The work is two launches of 5 us, and 2 MB at 100 GB/s, which take longer than the flops.
  BOOST_TEST(taken == 10'000 + 20'000);
}

BOOST_AUTO_TEST_CASE(a_host_waits_for_what_its_gpu_does_and_for_nothing_else) {
  auto machine = test::small_machine("put", netsim::memory::device);
  machine.description.gpu.wait = 3'000'000;
  const auto wait_after = [&](const kernel_cost& cost) {
    std::int64_t taken = 0;
    virtual_machine::run(1, machine, [&](context ctx) {
      ctx.work(cost);
      const auto begin = clock_of(ctx).now();
      barrier(ctx);
      taken = (clock_of(ctx).now() - begin).count();
    });
    return taken;
  };
  for (const kernel_cost& cost :
       {kernel_cost{.flops = 1, .launches = 0}, kernel_cost{.bytes = 1, .launches = 0},
        kernel_cost{.launches = 1}})
    BOOST_TEST(wait_after(cost) == 3000);
  BOOST_TEST(wait_after({.launches = 0, .seconds = 1}) == 0);
}

BOOST_AUTO_TEST_CASE(collectives_that_differ_are_told_before_the_last_rank_has_come) {
  virtual_machine::run(3, test::small_machine("put"), [](context ctx) {
    if (ctx.rank() == 2) return test::doze(ctx, std::chrono::seconds(3));
    const auto begin = clock_of(ctx).now();
    std::array<double, 2> values{};
    test::message_of<usage_error>([&] {
      if (ctx.rank() == 0) return barrier(ctx);
      allreduce_sum(ctx, values);
    });
    expect(test::seconds_since(ctx, begin) < 1, "no wait for rank 2");
  });
}

BOOST_AUTO_TEST_CASE(a_deadlock_is_an_error_at_once_that_names_all_who_wait) {
  const std::string message = test::message_of<timeout_error>([] {
    virtual_machine::run(3, test::small_machine("put"), [](context ctx) {
      test::ring exchange(ctx, 64, true);
      if (ctx.rank() != 0) exchange.chain.start();
      if (ctx.rank() != 0) exchange.chain.wait();
      if (ctx.rank() == 0) barrier(ctx);
    });
  });
  for (const char* who : {"rank 0 of 3 waited", "rank 1 of 3 waited", "rank 2 of 3 waited"})
    BOOST_TEST(test::contains(message, who), message);
  BOOST_TEST(test::contains(message, " s of virtual time in "), message);
}

BOOST_AUTO_TEST_CASE(a_failing_rank_ends_the_others_with_its_reason) {
  const std::string message = test::message_of<std::runtime_error>([] {
    virtual_machine::run(3, test::small_machine("put"), [](context ctx) {
      if (ctx.rank() == 1) throw std::runtime_error("enough");
      barrier(ctx);
    });
  });
  BOOST_TEST(message == "enough");
}

BOOST_AUTO_TEST_CASE(what_fails_while_the_network_goes_on_ends_the_job_with_its_reason) {
  virtual_machine::machine narrow = test::small_machine("put");
  narrow.description.protocols = {narrow.description.protocols.front()};
  // The third step brings more than the machine's only protocol takes, and no rank does that step:
  // the message of the step before does, when it comes.
  const std::string message = test::message_of<peer_error>([&] {
    virtual_machine::run(8, narrow, [](context ctx) {
      using thousand_bytes = std::array<std::byte, 1000>;
      allgather(ctx, thousand_bytes{});
    });
  });
  BOOST_TEST(test::contains(message, "no protocol 'put' for 4000 bytes"), message);
}

BOOST_AUTO_TEST_CASE(what_the_machine_has_not_is_refused) {
  const auto idle = [](const context&) {};
  BOOST_TEST(test::contains(test::message_of<usage_error>(
                                [&] { virtual_machine::run(9, test::small_machine("put"), idle); }),
                            "9 ranks on the 8 nodes"));
  BOOST_TEST(test::contains(test::message_of<usage_error>(
                                [&] { virtual_machine::run(2, test::small_machine("get"), idle); }),
                            "no protocol 'get'"));
}
