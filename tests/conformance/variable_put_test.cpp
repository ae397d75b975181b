// Puts of variable size, and waits for any of several arrivals, are tested here.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <onehop/collectives.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::expect;

namespace {

/// In a variable_ring each rank puts to the next, packed and from memory of its own.
struct variable_ring {
  static constexpr std::size_t most = 3000;

  context ctx;
  int next, previous;
  std::vector<std::byte> source = std::vector<std::byte>(most);
  window memory;
  put_chain chain;
  put_slot packed, own;
  notification from_packed, from_own;

  variable_ring(const context& c, int banks)
      : ctx(c),
        next((c.rank() + 1) % c.size()),
        previous((c.rank() + c.size() - 1) % c.size()),
        memory(window::allocate(c, 2 * most, banks)),
        chain(c, memory) {
    packed = chain.push(put::packed_up_to(most, next, 0));
    own = chain.push(put::up_to(source, next, most));
    from_packed = chain.add_origin(previous);
    from_own = chain.add_origin(previous);
    chain.commit();
  }
  void start(int n, std::size_t packed_bytes, std::size_t own_bytes) {
    test::fill(chain.target_view(packed).first(packed_bytes), ctx.rank(), 0, n);
    test::fill(source, ctx.rank(), 1, n);
    chain.set_bytes(packed, packed_bytes);
    chain.set_bytes(own, own_bytes);
    chain.start();
  }
  void expect_arrivals(int n, std::size_t packed_bytes, std::size_t own_bytes) const {
    expect(chain.arrived(from_packed).size() == packed_bytes, "length of a packed put");
    expect(chain.arrived(from_own).size() == own_bytes, "length of a put");
    test::expect_filled(chain.arrived(from_packed), previous, 0, n);
    test::expect_filled(chain.arrived(from_own), previous, 1, n);
  }
};

}  // namespace

BOOST_DATA_TEST_CASE(arrivals_are_as_long_as_their_origin_said, test::every_job(), where) {
  for (const int banks : {1, 2})
    where.run([banks](context ctx) {
      variable_ring ring(ctx, banks);
      const std::vector<std::size_t> lengths{0, 1, 8, 2999, 3000, 0, 0, 64, 1500};
      for (int n = 1; n <= 40; ++n) {
        const auto length = [&](int rank, int put) {
          return lengths[static_cast<std::size_t>(n + 2 * rank + 3 * put) % lengths.size()];
        };
        ring.start(n, length(ctx.rank(), 0), length(ctx.rank(), 1));
        if ((n + ctx.rank()) % 8 == 0) {
          ring.chain.wait(ring.from_own);
          expect(ring.chain.arrived(ring.from_own).size() == length(ring.previous, 1),
                 "length of a face that was waited for alone");
        }
        ring.chain.wait();
        if ((n + ctx.rank()) % 7 == 0) test::doze(ctx, 300us);
        ring.expect_arrivals(n, length(ring.previous, 0), length(ring.previous, 1));
      }
    });
}

BOOST_DATA_TEST_CASE(a_size_stays_until_it_is_set_again_and_begins_as_the_most, test::every_job(),
                     where) {
  where.run([](context ctx) {
    variable_ring ring(ctx, 2);
    ring.chain.start();
    ring.chain.wait();
    expect(ring.chain.arrived(ring.from_own).size() == ring.most, "the most, to begin with");
    ring.start(1, 10, 20);
    ring.chain.wait();
    ring.chain.start();
    ring.chain.wait();
    expect(ring.chain.arrived(ring.from_packed).size() == 10, "as it was set");
    expect(ring.chain.arrived(ring.from_own).size() == 20, "as it was set");
  });
}

BOOST_DATA_TEST_CASE(fixed_and_variable_puts_share_a_chain, test::every_job(), where) {
  where.run([](context ctx) {
    const int next = (ctx.rank() + 1) % ctx.size();
    const int previous = (ctx.rank() + ctx.size() - 1) % ctx.size();
    window memory = window::allocate(ctx, 300);
    put_chain chain(ctx, memory);
    const put_slot first = chain.push(put::packed(100, next, 0));
    const put_slot second = chain.push(put::packed_up_to(100, next, 100));
    const put_slot third = chain.push(put::packed(100, next, 200));
    const std::array from{chain.add_origin(previous), chain.add_origin(previous),
                          chain.add_origin(previous)};
    chain.commit();
    for (int n = 1; n <= 20; ++n) {
      const auto length = static_cast<std::size_t>(n * 37 % 101);
      int number = 0;
      for (const put_slot slot : {first, second, third})
        test::fill(chain.target_view(slot), ctx.rank(), number++, n);
      chain.set_bytes(second, length);
      chain.start();
      chain.wait();
      for (int k = 0; k < 3; ++k) {
        const auto bytes = chain.arrived(from[static_cast<std::size_t>(k)]);
        expect(bytes.size() == (k == 1 ? length : 100), "length of an arrival");
        test::expect_filled(bytes, previous, k, n);
      }
    }
  });
}

BOOST_DATA_TEST_CASE(wait_any_and_wait_some_tell_each_arrival_as_it_comes, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const std::size_t ranks = static_cast<std::size_t>(ctx.size());
    window memory = window::allocate(ctx, 8 * ranks);
    put_chain chain(ctx, memory);
    std::vector<put_slot> slots;
    std::vector<notification> all;
    for (int rank = 0; rank < ctx.size(); ++rank) {
      slots.push_back(chain.push(put::packed(8, rank, 8 * static_cast<std::size_t>(ctx.rank()))));
      all.push_back(chain.add_origin(rank));
    }
    chain.commit();
    for (int n = 1; n <= 30; ++n) {
      for (const put_slot slot : slots) test::fill(chain.target_view(slot), ctx.rank(), 0, n);
      if ((n + ctx.rank()) % 4 == 0) test::doze(ctx, 200us);
      chain.start();
      std::vector<notification> awaited = all;
      std::size_t told = 0;
      while (!awaited.empty()) {
        std::vector<notification> came;
        if (n % 2 == 0) {
          const std::size_t place = chain.wait_any(awaited);
          came.push_back(awaited[place]);
          awaited.erase(awaited.begin() + static_cast<std::ptrdiff_t>(place));
        } else {
          const auto count = static_cast<std::ptrdiff_t>(chain.wait_some(awaited));
          expect(count > 0, "wait_some returns with something");
          came.assign(awaited.begin(), awaited.begin() + count);
          awaited.erase(awaited.begin(), awaited.begin() + count);
        }
        told += came.size();
        for (const notification one : came)
          test::expect_filled(chain.arrived(one), one.index, 0, n);
      }
      expect(told == ranks, "each arrival is told once");
      chain.wait();
    }
  });
}
