#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>
#include <onehop/window.hpp>

#include "support/ranks.hpp"

using namespace onehop;
using test::expect;

BOOST_DATA_TEST_CASE(windows_are_zeroed_page_aligned_and_may_differ, test::every_job(), where) {
  where.run([](context ctx) {
    // The test allocates again and again, so that memory given back is taken again.
    for (int round = 0; round < 10; ++round) {
      const window memory = window::allocate(ctx, 5000 * ctx.rank());
      for (int rank = 0; rank < ctx.size(); ++rank)
        expect(memory.bytes(rank) == 5000u * rank, "bytes of a rank");
      for (int bank = 0; bank < 2; ++bank) {
        const auto local = memory.local(bank);
        expect(local.size() == 5000u * ctx.rank(), "bytes of a bank");
        expect(reinterpret_cast<std::uintptr_t>(local.data()) % 4096 == 0, "alignment");
        expect(std::ranges::all_of(local, [](std::byte b) { return b == std::byte{0}; }), "zero");
        std::ranges::fill(local, std::byte{0xff});
      }
    }
  });
}

BOOST_DATA_TEST_CASE(memory_returns_when_all_handles_are_gone, test::every_job(), where) {
  // Where MPI chooses the address the next window may get another.
  if (where.how == test::job::launched) return;
  where.run([](context ctx) {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    window kept = window::allocate(ctx, bytes);
    const std::byte* kept_place = kept.local().data();
    const std::byte* place = nullptr;
    for (int round = 0; round < 30; ++round) {
      const window memory = window::allocate(ctx, bytes);
      if (round == 0) place = memory.local().data();
      expect(memory.local().data() == place, "the gap is taken again");
      expect(memory.local().data() != kept_place, "a window in use stays");
    }
  });
}

BOOST_DATA_TEST_CASE(handles_may_go_in_any_order_on_any_rank, test::every_job(), where) {
  where.run([](context ctx) {
    std::vector<window> held;
    for (int round = 0; round < 30; ++round) {
      held.push_back(window::allocate(ctx, 10'000));
      std::ranges::fill(held.back().local(), static_cast<std::byte>(round));
      // Each rank drops other windows; only memory that all have dropped may be reused.
      if (held.size() > 5) held.erase(held.begin() + (ctx.rank() + round) % 5);
      for (const window& one : held) {
        const auto local = one.local();
        expect(std::ranges::all_of(local, [&](std::byte b) { return b == local.front(); }),
               "a window still held keeps its bytes");
      }
    }
  });
}

BOOST_DATA_TEST_CASE(window_too_large_is_an_error_on_all_and_the_job_goes_on, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const machine_facts facts = inspect_machine();
    const int last = ctx.size() - 1;
    const std::size_t too_large = 2 * std::max(facts.memory_bytes, facts.shm_bytes);
    for (const std::size_t bytes : {too_large, ~std::size_t{0} / 2}) {
      const std::string message = test::message_of<resource_error>(
          [&] { window::allocate(ctx, ctx.rank() == last ? bytes : 100); });
      expect(test::contains(message, "bytes"), message);
    }
    const window memory = window::allocate(ctx, 100);
    std::ranges::fill(memory.local(1), std::byte{1});
    barrier(ctx);
  });
}
