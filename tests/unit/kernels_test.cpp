#include "dirac/kernels.hpp"

#include "dirac/hopping.hpp"

#include <onehop/error.hpp>
#include <onehop/propagator.hpp>

#include <boost/test/unit_test.hpp>

using namespace onehop;

namespace {

using field = std::vector<std::complex<double>>;

/// H psi for both parities with the kernels of one instruction set and lane count.
field hopped(const gauge_field& links, dslash kind, const kernel_table& kernels, const field& psi) {
  const lane_layout layout(links.geometry(), kernels.lanes);
  hopping hop(layout, links, kind, true, kernels, overlap::none);
  field result(psi.size());
  for (int parity = 0; parity < 2; ++parity) {
    lane_field in(layout, 1 - parity, components(kind));
    lane_field out(layout, parity, components(kind));
    spread(layout, psi, in);
    hop.apply(out, in, 0.7, true);
    collect(layout, out, result);
  }
  return result;
}

double largest_difference(const field& a, const field& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_lane_count_gives_the_same_bits) {
  run_on_threads(1, [](context ctx) {
    const geometry g(ctx, {8, 4, 4, 8});
    gauge_field links(g);
    set_hot(links, 2);
    links.exchange_ghosts();
    for (const dslash kind : {dslash::wilson, dslash::staggered}) {
      field psi(g.volume() * components(kind));
      random_source(g, 1, components(kind), psi);
      field first;
      for (const instruction_set& set : built_instruction_sets()) {
        if (!set.supported()) continue;
        const field expected = hopped(links, kind, *set.kernels(1), psi);
        for (int lanes = 2; lanes <= set.widest_lanes(); lanes *= 2) {
          BOOST_TEST((hopped(links, kind, *set.kernels(lanes), psi) == expected));
        }
        // Instruction sets may fuse multiplication and addition or not.
        if (first.empty()) first = expected;
        BOOST_TEST(largest_difference(first, expected) < 1e-13);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(best_supported_instruction_set_is_chosen) {
  BOOST_TEST(choose_instruction_set().supported());
  BOOST_CHECK_THROW(choose_instruction_set("mmx"), usage_error);
}
