/// Landau and Coulomb gauge are fixed here on every grid; the tests in Python check what theta is.

#include <onehop/error.hpp>
#include <onehop/gauge_fixing.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "physics/gauge_tools.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

gauge_fixing_options options_for(gauge_condition condition, int sweeps) {
  gauge_fixing_options options;
  options.condition = condition;
  options.max_sweeps = sweeps;
  return options;
}

constexpr std::array conditions = {gauge_condition::landau, gauge_condition::coulomb};

}  // namespace

BOOST_AUTO_TEST_CASE(every_grid_gives_the_same_bits) {
  for (const gauge_condition condition : conditions) {
    const auto make = [&](gauge_field& links) {
      set_hot(links, 3);
      fix_gauge(links, options_for(condition, 15));
    };
    const snapshot alone = snapshot_on({4, 4, 4, 4}, {1, 1, 1, 1}, make);
    for (const coordinate& grid : grids_of_4x4x4x4())
      BOOST_TEST((snapshot_on({4, 4, 4, 4}, grid, make) == alone));
  }
}

BOOST_AUTO_TEST_CASE(a_fixed_field_has_the_same_loops_and_stays) {
  for (const gauge_condition condition : conditions)
    run_on_threads(2, [&](context ctx) {
      gauge_field links(geometry(ctx, {4, 4, 2, 4}, {1, 1, 1, 2}));
      set_hot(links, 4);
      const double before = plaquette(links).mean;
      int calls = 0;
      gauge_fixing_options options = options_for(condition, 20000);
      options.progress = [&](int, double) { ++calls; };
      const gauge_fixing_report report = fix_gauge(links, options);
      test::expect(report.converged && report.theta <= 1e-12, "theta");
      test::expect(report.functional > report.functional_before, "functional");
      test::expect(calls * 10 == report.sweeps, "progress");
      test::expect(std::abs(plaquette(links).mean - before) < 1e-13, "plaquette");
      test::expect(check_links(links) < 1e-13, "group");
      test::expect(fix_gauge(links, options).sweeps <= 10, "again");
    });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_fixed_is_refused_on_every_rank) {
  run_on_threads(2, [](context ctx) {
    gauge_field links(geometry(ctx, {2, 2, 2, 6}, {1, 1, 1, 2}));
    set_cold(links);
    gauge_fixing_options wrong;
    wrong.overrelaxation = 2;
    test::message_of<usage_error>([&] { fix_gauge(links, wrong); });
    wrong = {};
    wrong.tolerance = 0;
    test::message_of<usage_error>([&] { fix_gauge(links, wrong); });
    test::message_of<usage_error>([&] { fix_gauge(links, options_for({}, 0)); });
    if (ctx.rank() == 1) links.link(2, {0, 0, 0, 0})[3] = std::nan("");
    test::message_of<numeric_error>([&] { fix_gauge(links, {}); });
    gauge_field odd(geometry(ctx, {3, 2, 2, 4}, {1, 1, 1, 2}));
    set_cold(odd);
    test::message_of<usage_error>([&] { fix_gauge(odd, {}); });
  });
}
