#include "dirac/vector_order.hpp"

#include <onehop/context.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

using namespace onehop;

namespace {

constexpr std::size_t vector_bytes = 768, cache = std::size_t{64} << 10U;

lane_layout layout_of(const context& ctx, const coordinate& lattice, int reach = 1) {
  return {geometry(ctx, lattice), 4, reach};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_vector_is_worked_on_once_in_any_pieces) {
  run_on_threads(1, [](context ctx) {
    const lane_layout layout = layout_of(ctx, {8, 12, 6, 4});
    for (const std::array<int, 3>& pieces :
         {std::array{1, 1, 1}, std::array{2, 3, 1}, std::array{4, 4, 2}, std::array{5, 1, 4}}) {
      const vector_order order(layout, 1, pieces);
      std::vector<std::int32_t> sorted(order.all().begin(), order.all().end());
      std::ranges::sort(sorted);
      BOOST_TEST(sorted.size() == static_cast<std::size_t>(layout.vectors(1)));
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        BOOST_TEST(sorted[k] == static_cast<std::int32_t>(k));
      }
    }
  });
}

// The vectors between a slice of a piece and the slice ahead of it are what a cache must hold.
BOOST_AUTO_TEST_CASE(slices_of_fitting_pieces_fit) {
  run_on_threads(1, [](context ctx) {
    for (const int reach : {1, 3}) {
      for (const coordinate& lattice :
           {coordinate{8, 8, 8, 8}, coordinate{16, 24, 24, 12}, coordinate{8, 32, 16, 12}}) {
        const lane_layout layout = layout_of(ctx, lattice, reach);
        const vector_order order(layout, 0, fitting_pieces(layout, vector_bytes, reach * cache, 1));
        std::size_t in_slice = 0, largest = 0;
        for (std::size_t k = 0; k < order.all().size(); ++k) {
          const auto time_of = [&](std::size_t at) {
            return layout.first_site(0, order.all()[at])[3];
          };
          in_slice = k > 0 && time_of(k) == time_of(k - 1) ? in_slice + 1 : 1;
          largest = std::max(largest, in_slice);
        }
        BOOST_TEST((2 * reach + 1) * largest * vector_bytes <= reach * cache);
      }
    }
  });
}

// Threads take equal shares of the order.
BOOST_AUTO_TEST_CASE(threads_share_every_slice) {
  run_on_threads(1, [](context ctx) {
    constexpr int threads = 2;
    const lane_layout layout = layout_of(ctx, {8, 8, 16, 12});
    const vector_order order(layout, 0, fitting_pieces(layout, vector_bytes, 16 * cache, threads));
    const std::size_t share = order.all().size() / threads;
    for (int thread = 0; thread < threads; ++thread) {
      std::vector<int> in_slice(12);
      for (const std::int32_t vector : order.all().subspan(thread * share, share)) {
        ++in_slice[layout.first_site(0, vector)[3]];
      }
      const int slices = layout.sub_block()[3];
      for (int t = 0; t < slices; ++t) BOOST_TEST(in_slice[t] == static_cast<int>(share) / slices);
    }
  });
}

BOOST_AUTO_TEST_CASE(small_lattices_are_not_cut) {
  run_on_threads(1, [](context ctx) {
    const lane_layout layout = layout_of(ctx, {8, 4, 4, 8});
    BOOST_TEST((fitting_pieces(layout, vector_bytes, cache, 1) == std::array{1, 1, 1}));
  });
}
