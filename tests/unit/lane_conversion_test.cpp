#include "lattice/lane_conversion.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <vector>

#include "support/difference.hpp"

using namespace onehop;

namespace {

using numbers = std::vector<std::complex<double>>;

/// The numbers are multiples of 1/8 up to one, which every precision holds to its last bit or
/// nearly.
numbers pattern(const geometry& g, int components, int seed) {
  numbers field(g.local_volume() * components);
  for (std::size_t k = 0; k < field.size(); ++k) {
    field[k] = {static_cast<double>((k * 7 + seed) % 17) / 8 - 1,
                static_cast<double>((k * 5 + 3 * seed) % 17) / 8 - 1};
  }
  return field;
}

double accuracy(field_precision kind) { return kind == field_precision::half ? 1e-4 : 1e-15; }

/// Returns the largest difference on sites of `parity`, which alone are spread.
double largest_difference(const lane_layout& layout, const lane_field& got, int side,
                          const numbers& expected) {
  numbers all = expected;
  collect(layout, got, all, side);
  return tests::largest_difference(all, expected);
}

const std::vector<field_precision> kinds = {field_precision::double_, field_precision::single,
                                            field_precision::half};

template <class Body>
void for_each_pair(const Body& body) {
  run_on_threads(1, [&](context ctx) {
    const geometry g(ctx, {8, 4, 2, 8});
    for (const int from_lanes : {1, 2, 4, 8}) {
      for (const int to_lanes : {1, 2, 4, 8}) {
        const lane_layout from(g, from_lanes), to(g, to_lanes);
        for (const field_precision from_kind : kinds) {
          for (const field_precision to_kind : kinds) {
            for (int parity = 0; parity < 2; ++parity) body(from, from_kind, to, to_kind, parity);
          }
        }
      }
    }
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_site_keeps_its_numbers_in_any_lanes_and_storage) {
  for_each_pair([](const lane_layout& from_layout, field_precision from_kind,
                   const lane_layout& to_layout, field_precision to_kind, int parity) {
    lane_field from(from_layout, parity, 3, from_kind, 2), to(to_layout, parity, 3, to_kind, 2);
    for (int side = 0; side < 2; ++side) {
      spread(from_layout, pattern(from_layout.geometry(), 3, side), from, side);
    }
    lane_conversion(to_layout, from_layout).convert(from, to);
    for (int side = 0; side < 2; ++side) {
      BOOST_TEST(
          largest_difference(to_layout, to, side, pattern(from_layout.geometry(), 3, side)) <=
          accuracy(from_kind) + accuracy(to_kind));
    }
  });
}

BOOST_AUTO_TEST_CASE(some_sides_are_added_and_the_others_stay) {
  for_each_pair([](const lane_layout& from_layout, field_precision from_kind,
                   const lane_layout& to_layout, field_precision to_kind, int parity) {
    if (to_kind == field_precision::half) return;
    const geometry& g = from_layout.geometry();
    lane_field from(from_layout, parity, 3, from_kind, 2), to(to_layout, parity, 3, to_kind, 3);
    for (int side = 0; side < 3; ++side) spread(to_layout, pattern(g, 3, side), to, side);
    spread(from_layout, pattern(g, 3, 9), from, 1);
    const lane_conversion conversion(from_layout, to_layout);
    const std::vector<int> from_sides = {1}, to_sides = {2};
    // The conversion is done in two parts, as threads would do it.
    const std::size_t half = conversion.narrow_vectors(parity) / 2;
    const lane_conversion::job job{&from, from_sides, &to, to_sides, true};
    conversion.convert(job, 0, half);
    conversion.convert(job, half, conversion.narrow_vectors(parity));
    numbers sum = pattern(g, 3, 2);
    const numbers added = pattern(g, 3, 9);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += added[k];
    BOOST_TEST(largest_difference(to_layout, to, 0, pattern(g, 3, 0)) == 0);
    BOOST_TEST(largest_difference(to_layout, to, 1, pattern(g, 3, 1)) == 0);
    BOOST_TEST(largest_difference(to_layout, to, 2, sum) <= accuracy(from_kind));
  });
}
