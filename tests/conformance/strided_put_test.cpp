// Puts whose bytes lie apart in the target's window.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::expect;

namespace {

constexpr std::size_t rows = 6, columns = 8;
using table = std::array<int, rows * columns>;
constexpr int untouched = -7;

/// The value that `rank` sends in exchange n for row y.
int value(int rank, int n, std::size_t y) { return 10'000 * rank + 100 * n + static_cast<int>(y); }

std::span<int> ints(std::span<std::byte> bytes) {
  return {reinterpret_cast<int*>(bytes.data()), bytes.size() / sizeof(int)};
}

/// Each rank puts its last column but one to the first of the next one's table, and its second to
/// the last column of the one before: the ghosts of a table that is split by columns.
struct ring_of_tables {
  context ctx;
  table own{};  ///< where sources are
  window memory;
  put_chain chain;
  int next, previous;

  ring_of_tables(const context& c, const window& into)
      : ctx(c),
        memory(into),
        chain(c, memory),
        next((c.rank() + 1) % c.size()),
        previous((c.rank() + c.size() - 1) % c.size()) {
    push_column(columns - 2, next, 0);
    push_column(1, previous, columns - 1);
    chain.add_origin(previous);
    chain.add_origin(next);
    chain.commit();
  }
  void push_column(std::size_t from, int to, std::size_t column) {
    constexpr auto stride = static_cast<std::ptrdiff_t>(columns * sizeof(int));
    put face{{reinterpret_cast<const std::byte*>(&own[from]), sizeof(int), rows, stride},
             to,
             column * sizeof(int)};
    face.remote = strided_layout::blocks(sizeof(int), rows, stride);
    chain.push(face);
  }
  void exchange(int n) {
    for (std::size_t y = 0; y < rows; ++y)
      own[y * columns + 1] = own[y * columns + columns - 2] = value(ctx.rank(), n, y);
    chain.start();
    chain.wait();
  }
  void expect_ghosts(std::span<const int> here, int n) const {
    for (std::size_t y = 0; y < rows; ++y) {
      expect(here[y * columns] == value(previous, n, y), "ghosts on the left");
      expect(here[y * columns + columns - 1] == value(next, n, y), "ghosts on the right");
      for (std::size_t x = 1; x + 1 < columns; ++x)
        expect(here[y * columns + x] == untouched, "what lies between the runs stays");
    }
  }
};

std::vector<std::size_t> offsets_of(const strided_layout& layout) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < layout.counts[2]; ++c)
    for (std::size_t b = 0; b < layout.counts[1]; ++b)
      for (std::size_t a = 0; a < layout.counts[0]; ++a)
        for (std::size_t byte = 0; byte < layout.run_bytes; ++byte)
          found.push_back(a * static_cast<std::size_t>(layout.strides_bytes[0]) +
                          b * static_cast<std::size_t>(layout.strides_bytes[1]) +
                          c * static_cast<std::size_t>(layout.strides_bytes[2]) + byte);
  return found;
}

}  // namespace

BOOST_DATA_TEST_CASE(columns_arrive_as_columns_and_nothing_else_changes, test::every_job(), where) {
  for (const int banks : {1, 2})
    where.run([banks](context ctx) {
      window memory = window::allocate(ctx, sizeof(table), banks);
      for (int bank = 0; bank < banks; ++bank)
        std::ranges::fill(ints(memory.local(bank)), untouched);
      barrier(ctx);
      ring_of_tables ring(ctx, memory);
      for (int n = 1; n <= 10; ++n) {
        ring.exchange(n);
        ring.expect_ghosts(ints(memory.local((n - 1) % banks)), n);
      }
    });
}

BOOST_DATA_TEST_CASE(columns_arrive_in_the_caller_s_own_table, test::every_job(), where) {
  where.run([](context ctx) {
    table mine;
    mine.fill(untouched);
    ring_of_tables ring(ctx,
                        window::register_existing(ctx, std::as_writable_bytes(std::span(mine))));
    for (int n = 1; n <= 10; ++n) {
      ring.exchange(n);
      ring.expect_ghosts(mine, n);
    }
  });
}

BOOST_DATA_TEST_CASE(listed_runs_arrive_each_at_its_start, test::every_job(), where) {
  where.run([](context ctx) {
    const int next = (ctx.rank() + 1) % ctx.size();
    const int previous = (ctx.rank() + ctx.size() - 1) % ctx.size();
    window memory = window::allocate(ctx, 200, 1);
    put_chain chain(ctx, memory);
    const notification from = chain.add_origin(previous);
    put packed = put::packed(30, next, 20);
    put_slot slot;
    {
      // push copies the list.
      const std::vector<std::size_t> starts{100, 0, 37};
      packed.remote.run_bytes = 10;
      packed.remote_starts = starts;
      slot = chain.push(packed);
    }
    chain.commit();
    for (int n = 1; n <= 5; ++n) {
      test::fill(chain.target_view(slot), ctx.rank(), 0, n);
      chain.start();
      chain.wait(from);
      const std::span<const std::byte> here = chain.arrived(from);
      expect(here.data() == memory.local().data() + 20 && here.size() == 110,
             "from the first byte to the last");
      std::vector<std::byte> in_order;
      for (const std::size_t start : {100, 0, 37})
        in_order.insert(in_order.end(), &here[start], &here[start] + 10);
      test::expect_filled(in_order, previous, 0, n);
      expect(here[10] == std::byte{} && here[99] == std::byte{}, "gaps stay as they were");
      chain.wait();
    }
  });
}

BOOST_AUTO_TEST_CASE(a_subarray_has_the_bytes_of_its_items_in_their_order) {
  const std::vector<std::vector<std::size_t>> arrays{{7}, {3, 5}, {4, 3, 5}, {2, 4, 3, 5}};
  for (const std::vector<std::size_t>& extents : arrays) {
    // Every box that begins at the first item.
    std::vector<std::size_t> box(extents.size(), 1);
    for (bool more = true; more;) {
      std::vector<std::size_t> wanted{0};
      std::size_t row = 3;
      for (std::size_t mu = extents.size(); mu-- > 0; row *= extents[mu]) {
        std::vector<std::size_t> longer;
        for (std::size_t i = 0; i < box[mu]; ++i)
          for (const std::size_t inner : wanted) longer.push_back(i * row + inner);
        wanted = longer;
      }
      std::vector<std::size_t> bytes;
      for (const std::size_t item : wanted)
        for (std::size_t byte = 0; byte < 3; ++byte) bytes.push_back(item + byte);
      BOOST_TEST(offsets_of(strided_layout::subarray(3, extents, box)) == bytes,
                 boost::test_tools::per_element());
      more = false;
      for (std::size_t mu = 0; mu < box.size() && !more; ++mu) {
        more = box[mu] < extents[mu];
        box[mu] = more ? box[mu] + 1 : 1;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(subarrays_have_one_to_four_dimensions_and_fit_their_arrays) {
  using sizes = std::vector<std::size_t>;
  for (const auto& [extents, counts] : std::vector<std::pair<sizes, sizes>>{
           {{}, {}}, {{4}, {2, 2}}, {{2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}}, {{4}, {5}}, {{4}, {0}}})
    BOOST_CHECK_THROW(strided_layout::subarray(8, extents, counts), usage_error);
}
