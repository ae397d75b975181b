/// Ranks of a virtual machine that are processes must do the same as ranks that are threads.

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/idle.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/stream.hpp>
#include <thread>

#include "support/exchange.hpp"
#include "transport/virtual/transport.hpp"

using namespace onehop;
using test::expect;
using virtual_machine::compute_mode;

namespace {

constexpr int most_ranks = 8;
constexpr int most_times = 64;

/// times_of_ranks are picoseconds that the ranks of a run write down, wherever they run.
class times_of_ranks {
 public:
  times_of_ranks()
      : memory_(static_cast<table*>(mmap(nullptr, sizeof(table), PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~times_of_ranks() { munmap(memory_, sizeof(table)); }
  times_of_ranks(const times_of_ranks&) = delete;
  times_of_ranks& operator=(const times_of_ranks&) = delete;

  void note(const context& ctx) {
    auto& mine = (*memory_)[static_cast<std::size_t>(ctx.rank())];
    const auto& simulated = dynamic_cast<const virtual_machine::transport&>(transport_of(ctx));
    expect(mine[0] + 1 < most_times, "room for another time");
    mine[static_cast<std::size_t>(++mine[0])] = simulated.machine().now();
  }
  std::vector<std::int64_t> all() const {
    std::vector<std::int64_t> found;
    for (const auto& rank : *memory_) found.insert(found.end(), rank.begin(), rank.end());
    return found;
  }

 private:
  using table = std::array<std::array<std::int64_t, most_times>, most_ranks>;
  table* memory_;
};

/// Plays a bit of everything that takes time, with ranks that do not do the same.
void play(const context& ctx, times_of_ranks& times) {
  test::ring exchange(ctx, 5000, true);
  times.note(ctx);
  for (int n = 1; n <= 5; ++n) {
    if (n % ctx.size() == ctx.rank()) ctx.work({.flops = 1e6 * n, .bytes = 1e5, .launches = 1});
    exchange.fill_sources(n);
    exchange.chain.start();
    exchange.chain.wait();
    exchange.expect_arrivals(n);
    times.note(ctx);
  }
  std::vector<double> values(700, ctx.rank());
  allreduce_sum(ctx, std::span(values));
  times.note(ctx);
  broadcast(ctx, std::as_writable_bytes(std::span(values)), ctx.size() - 1);
  times.note(ctx);
  barrier(ctx);
  // This loop never waits.
  exchange.fill_sources(6);
  exchange.chain.start();
  while (!exchange.chain.test()) {
  }
  exchange.expect_arrivals(6);
  times.note(ctx);
}

std::vector<std::int64_t> as_threads(int ranks, const virtual_machine::machine& on) {
  times_of_ranks times;
  virtual_machine::run(ranks, on, [&](context ctx) { play(ctx, times); });
  return times.all();
}

std::vector<std::int64_t> as_processes(int ranks, const virtual_machine::machine& on) {
  times_of_ranks times;
  for (const test::rank_end& end :
       test::run_under_conductor(ranks, on, [&](context ctx) { play(ctx, times); }))
    BOOST_TEST(end.good(), end.message);
  return times.all();
}

/// Goes through rounds that a launcher would have spared the ranks of a real machine, and notes the
/// time before and after, and after a round that is one.
void play_free_rounds(const context& ctx, times_of_ranks& times) {
  using namespace std::chrono_literals;
  // The last rank to come is the one that all wait for.
  test::doze(ctx, ctx.rank() * 10us);
  const auto last = ctx.now() + (ctx.size() - 1 - ctx.rank()) * 10us;
  transport_of(ctx).free_rounds(true);
  for (int n = 0; n < 3; ++n) {
    const auto all = allgather(ctx, 10 * n + ctx.rank());
    for (int rank = 0; rank < ctx.size(); ++rank)
      expect(all[static_cast<std::size_t>(rank)] == 10 * n + rank, "what that rank has said");
    int word = ctx.rank() == 1 ? n : -1;
    broadcast(ctx, std::as_writable_bytes(std::span(&word, 1)), 1);
    expect(word == n, "what rank 1 has said");
    barrier(ctx);
  }
  expect(ctx.now() == last, "no time passes");
  times.note(ctx);
  transport_of(ctx).free_rounds(false);
  barrier(ctx);
  expect(ctx.now() > last, "time passes");
  times.note(ctx);
}

/// Computes for real: looks at this machine's clock.
void look_at_the_clock_for(std::chrono::steady_clock::duration length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Returns the times of two ranks after one of them has computed for real between exchanges.
std::vector<std::int64_t> after_computing(compute_mode how, bool declares) {
  times_of_ranks times;
  const auto ends = test::run_under_conductor(
      2, test::small_machine("put", netsim::memory::device),
      [&](const context& ctx) {
        if (ctx.rank() == 0) {
          if (declares) ctx.work({.flops = 0, .bytes = 2e6, .launches = 2});
          look_at_the_clock_for(std::chrono::milliseconds(50));
        }
        barrier(ctx);
        times.note(ctx);
      },
      how);
  for (const test::rank_end& end : ends) BOOST_TEST(end.good(), end.message);
  return {times.all()[1], times.all()[most_times + 1]};
}

constexpr auto patience = std::chrono::seconds(10);
constexpr std::int64_t patience_ps = patience.count() * 1'000'000'000'000;

/// Returns the time of two ranks whose computing is measured. `body` waits by its second argument,
/// which looks at a condition and then computes for longer than is left uncharged, so that each
/// wait begins by charging it; in vain a wait lasts for `patience`.
template <class Body>
std::int64_t time_of_slow_looks(const Body& body) {
  times_of_ranks times;
  const auto play = [&](const context& ctx) {
    body(ctx, [&](const auto& has_come) {
      for (int turn = 0; !has_come(); ++turn) {
        look_at_the_clock_for(std::chrono::microseconds(ctx.rank() == 0 ? 20 : 5));
        idle(ctx, turn, clock_of(ctx).now() + patience);
      }
    });
    times.note(ctx);
  };
  for (const test::rank_end& end :
       test::run_under_conductor(2, test::small_machine("put"), play, compute_mode::measured))
    BOOST_TEST(end.good(), end.message);
  return times.all()[1];
}

}  // namespace

BOOST_AUTO_TEST_CASE(processes_take_the_time_of_threads_to_the_picosecond) {
  for (const char* variant : {"put", "mpi"})
    for (const int ranks : {1, 2, 3, 5}) {
      const auto expected = as_threads(ranks, test::small_machine(variant));
      const auto found = as_processes(ranks, test::small_machine(variant));
      BOOST_TEST(found == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(processes_take_the_same_time_in_every_run) {
  const auto on = test::small_machine("mpi");
  BOOST_TEST(as_processes(4, on) == as_processes(4, on), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rounds_while_puts_stand_for_nothing_take_no_time) {
  const auto on = test::small_machine("mpi");
  times_of_ranks threads, processes;
  virtual_machine::run(4, on, [&](context ctx) { play_free_rounds(ctx, threads); });
  for (const test::rank_end& end : test::run_under_conductor(
           4, on, [&](const context& ctx) { play_free_rounds(ctx, processes); }))
    BOOST_TEST(end.good(), end.message);
  BOOST_TEST(processes.all() == threads.all(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_declared_computing_takes_its_declared_time) {
  const auto free = after_computing(compute_mode::none, true);
  const auto declared = after_computing(compute_mode::declared, true);
  // Rank 0 takes two launches of 5 us, and 2 MB at 100 GB/s; rank 1 waits for it.
  BOOST_TEST(declared[1] - free[1] == 30'000'000);
  BOOST_TEST(free == after_computing(compute_mode::declared, false),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(measured_computing_takes_what_it_took_here) {
  const auto free = after_computing(compute_mode::none, false);
  const auto measured = after_computing(compute_mode::measured, false);
  // The clock of a thread stands still while others have its core, so that only a part of the 50 ms
  // for which it looked at the clock is sure to be charged.
  for (const std::size_t rank : {0, 1}) BOOST_TEST(measured[rank] - free[rank] > 1'000'000'000);
}

BOOST_AUTO_TEST_CASE(what_ranks_compute_is_recorded_where_that_is_asked_for) {
  std::string folder = std::filesystem::temp_directory_path() / "onehop_XXXXXX";
  BOOST_REQUIRE(mkdtemp(folder.data()) != nullptr);
  const auto run = [&](virtual_machine::computing how) {
    const auto ends = test::run_under_conductor(
        2, test::small_machine("put"),
        [&](const context& ctx) {
          test::ring around(ctx, 64, true);
          for (int n = 1; n <= 3; ++n) {
            around.chain.start();
            around.chain.wait();
          }
        },
        how);
    for (const test::rank_end& end : ends) BOOST_TEST(end.good(), end.message);
  };
  setenv("ONEHOP_RECORDING", (folder + "/recording").c_str(), 1);
  setenv("ONEHOP_COMPUTING", folder.c_str(), 1);
  for (const char* rank : {"/0", "/1"}) std::ofstream(folder + rank);
  run(compute_mode::recorded);
  BOOST_TEST(!std::filesystem::exists(folder + "/recording"));
  virtual_machine::computing written(compute_mode::none);
  written.is_written = true;
  run(written);
  for (const char* rank : {"/recording/rank-000000.jsonl", "/recording/rank-000001.jsonl"}) {
    std::ifstream file(folder + rank);
    int calls = 0;
    for (std::string line; std::getline(file, line);) calls += line.starts_with("[\"call\",");
    BOOST_TEST(calls >= 6);  // a start and a wait each time
  }
  unsetenv("ONEHOP_RECORDING");
  unsetenv("ONEHOP_COMPUTING");
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(what_comes_while_computing_is_charged_ends_a_wait) {
  BOOST_TEST(time_of_slow_looks([](const context& ctx, const auto& look) {
               test::ring around(ctx, 64, true);
               for (int n = 1; n <= 20; ++n) {
                 around.fill_sources(n);
                 around.chain.start();
                 look([&] { return around.chain.test(); });
                 around.expect_arrivals(n);
               }
             }) < patience_ps);
}

BOOST_AUTO_TEST_CASE(a_round_that_a_rank_completes_itself_ends_its_wait) {
  BOOST_TEST(time_of_slow_looks([](const context& ctx, const auto& look) {
               bootstrap& rounds = bootstrap_of(ctx);
               for (int n = 1; n <= 20; ++n) {
                 // Now the one rank is late, now the other.
                 if (n % 2 == ctx.rank()) look_at_the_clock_for(std::chrono::microseconds(50));
                 rounds.post(static_cast<std::uint64_t>(n), {});
                 look([&] { return rounds.posted(1 - ctx.rank(), 0).data != nullptr; });
               }
             }) < patience_ps);
}

BOOST_AUTO_TEST_CASE(messages_longer_than_a_page_keep_their_bytes) {
  for (const test::rank_end& end :
       test::run_under_conductor(3, test::small_machine("put"), [](const context& ctx) {
         for (const std::size_t length : {10, 100'000, 1000, 300'000}) {
           std::vector<std::uint64_t> all(length);
           if (ctx.rank() == 1)
             for (std::size_t n = 0; n < length; ++n) all[n] = n * length;
           broadcast(ctx, std::as_writable_bytes(std::span(all)), 1);
           for (std::size_t n = 0; n < length; ++n) expect(all[n] == n * length, "word");
         }
       }))
    BOOST_TEST(end.good(), end.message);
}

BOOST_AUTO_TEST_CASE(a_failing_process_ends_the_others_with_its_reason) {
  const auto ends =
      test::run_under_conductor(3, test::small_machine("put"), [](const context& ctx) {
        if (ctx.rank() == 1) throw std::runtime_error("enough");
        barrier(ctx);
      });
  BOOST_TEST(ends[1].message == "enough");
  for (const std::size_t rank : {0, 2}) BOOST_TEST(ends[rank].message == "rank 1 failed: enough");
}

BOOST_AUTO_TEST_CASE(the_conductor_comes_back_when_ranks_fail_in_their_turns) {
  virtual_machine::process_conductor conductor(2, test::small_machine("put"), compute_mode::none);
  std::vector<test::child_process> children;
  for (int rank = 0; rank < 2; ++rank)
    children.emplace_back([&, rank] {
      const context ctx = test::join_as(conductor.segment(), rank, 2);
      ctx.abandon("enough");
    });
  // No other rank has a turn.
  conductor.run();
  for (test::child_process& child : children) child.wait();
}

BOOST_AUTO_TEST_CASE(a_failure_told_by_the_launcher_wakes_ranks_that_wait_for_their_turn) {
  virtual_machine::process_conductor conductor(2, test::small_machine("put"), compute_mode::none);
  int in_turn[2];
  BOOST_REQUIRE(pipe(in_turn) == 0);
  test::child_process keeps_its_turn([&] {
    const context ctx = test::join_as(conductor.segment(), 0, 2);
    expect(write(in_turn[1], "", 1) == 1, "a byte for the launcher");
    for (;;) ::pause();
  });
  test::child_process waits([&] { barrier(test::join_as(conductor.segment(), 1, 2)); });
  std::thread serves([&] { conductor.run(); });
  char byte;
  BOOST_TEST(read(in_turn[0], &byte, 1) == 1);
  conductor.fail(0, "enough");
  BOOST_TEST(waits.wait().message == "rank 0 failed: enough");
  serves.join();
  for (const int end : in_turn) close(end);
}

BOOST_AUTO_TEST_CASE(what_fails_in_the_network_is_told_to_every_process) {
  virtual_machine::machine narrow = test::small_machine("put");
  narrow.description.protocols = {narrow.description.protocols.front()};
  const auto ends = test::run_under_conductor(8, narrow, [](const context& ctx) {
    using thousand_bytes = std::array<std::byte, 1000>;
    allgather(ctx, thousand_bytes{});
  });
  for (const test::rank_end& end : ends)
    BOOST_TEST(test::contains(end.message, "no protocol 'put' for 4000 bytes"), end.message);
}

BOOST_AUTO_TEST_CASE(a_wait_in_vain_may_be_caught_and_the_job_goes_on) {
  for (const test::rank_end& end :
       test::run_under_conductor(2, test::small_machine("put"), [](const context& ctx) {
         test::ring exchange(ctx, 64, true);
         if (ctx.rank() == 0) {
           exchange.fill_sources(1);
           exchange.chain.start();
           ctx.set_deadline(std::chrono::milliseconds(1));
           test::message_of<timeout_error>([&] { exchange.chain.wait(); });
           ctx.set_deadline(std::chrono::seconds(60));
         } else {
           test::doze(ctx, std::chrono::milliseconds(5));
           exchange.fill_sources(1);
           exchange.chain.start();
         }
         exchange.chain.wait();
         exchange.expect_arrivals(1);
       }))
    BOOST_TEST(end.good(), end.message);
}

BOOST_AUTO_TEST_CASE(after_one_wait_in_vain_all_say_whom_they_wait_for) {
  virtual_machine::process_conductor conductor(3, test::small_machine("put"), compute_mode::none);
  std::vector<test::child_process> children;
  for (int rank = 0; rank < 3; ++rank)
    children.emplace_back([&, rank] {
      const context ctx = test::join_as(conductor.segment(), rank, 3);
      test::ring exchange(ctx, 64, true);
      if (rank != 0) exchange.chain.start();
      if (rank != 0) exchange.chain.wait();
      if (rank == 0) barrier(ctx);
    });
  std::jthread serving([&] { conductor.run(); });
  // The first of them is one that others wait for, and it has not left in good order.
  int first = -1;
  while (first < 0)
    for (int rank = 0; rank < 3; ++rank)
      if (!conductor.waited(rank).empty()) first = rank;
  children[static_cast<std::size_t>(first)].wait();
  conductor.stall();
  conductor.ended(first);
  serving.join();
  const std::string message = conductor.deadlock();
  for (const char* who : {"virtual machine small: nothing is under way and ", "rank 0 of 3 waited",
                          "rank 1 of 3 waited", "rank 2 of 3 waited"})
    BOOST_TEST(test::contains(message, who), message);
}
