// Solutions are compared with analytic results, with each other and across orders of arithmetic.

#include <onehop/error.hpp>
#include <onehop/meson.hpp>
#include <onehop/source.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <numbers>

#include "physics/fermion_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

gauge_field thermal(const geometry& g) {
  gauge_field links(g);
  set_hot(links, 21);
  for (std::uint64_t sweep = 0; sweep < 6; ++sweep) heatbath_sweep(links, {6.0, 4, 1}, sweep);
  links.exchange_ghosts();
  return links;
}

solve_options wilson_options(solver_kind solver = solver_kind::cg) {
  solve_options options;
  options.dirac = wilson{.mass = kappa_to_mass(0.12)};
  options.solver = solver;
  options.tolerance = 1e-11;
  return options;
}

solve_options staggered_options() {
  solve_options options;
  options.dirac = staggered{.mass = 0.2};
  options.tolerance = 1e-11;
  return options;
}

/// Runs on one rank and returns what `body` returns.
template <class Body>
auto alone(const coordinate& lattice, const Body& body) {
  using result_type = decltype(body(std::declval<const geometry&>()));
  std::vector<result_type> result;
  run_on_threads(1, [&](context ctx) { result.push_back(body(geometry(ctx, lattice))); });
  return std::move(result.front());
}

struct outcome {
  std::vector<double> correlator;
  fermion solution;  ///< solution of the last source component, by global site
  int iterations;
  double residual;
};

outcome solve_on(const coordinate& lattice, const coordinate& grid, const solve_options& options) {
  const int n = components(kind_of(options.dirac));
  outcome result{{}, fermion(volume(lattice) * n), 0, 0};
  run_on_threads(static_cast<int>(volume(grid)), [&](context ctx) {
    const geometry block(ctx, lattice, grid);
    propagator_solver solver(thermal(block), options);
    const propagator p = solve_point_propagator(solver, {1, 2, 3, 1});
    const std::size_t field = block.local_volume() * n;
    place(block, fermion(p.data.end() - static_cast<std::ptrdiff_t>(field), p.data.end()),
          result.solution);
    if (ctx.rank() != 0) return;
    result.correlator = p.correlator;
    result.iterations = p.reports.back().iterations;
    result.residual = p.reports.back().residual_true;
  });
  return result;
}

/// Returns C(t) of free Wilson quarks from S(p) = (A - i sum g_mu sin p_mu) / (A^2 + sum sin^2
/// p_mu), A = 4 + m - sum cos p_mu: sum over space is a sum over spatial momenta, the trace over
/// spin of |a + i sum g_mu b_mu|^2 is 4 (|a|^2 + sum |b_mu|^2), colours are equal.
std::vector<double> free_wilson_correlator(const coordinate& lattice, double mass) {
  std::vector<double> result(lattice[3]);
  const double pi = std::numbers::pi;
  const auto space = static_cast<double>(lattice[0] * lattice[1] * lattice[2]);
  for (int k = 0; k < lattice[0] * lattice[1] * lattice[2]; ++k) {
    const std::array<double, 3> q = {2 * pi * (k % lattice[0]) / lattice[0],
                                     2 * pi * (k / lattice[0] % lattice[1]) / lattice[1],
                                     2 * pi * (k / (lattice[0] * lattice[1])) / lattice[2]};
    for (int t = 0; t < lattice[3]; ++t) {
      std::array<std::complex<double>, 5> parts{};
      for (int n = 0; n < lattice[3]; ++n) {
        const double p4 = (2 * n + 1) * pi / lattice[3];
        const std::array<double, 4> p = {q[0], q[1], q[2], p4};
        double scalar = 4 + mass, denominator = 0;
        for (const double each : p) scalar -= std::cos(each);
        for (const double each : p) denominator += std::sin(each) * std::sin(each);
        denominator += scalar * scalar;
        const auto wave = std::polar(1.0 / lattice[3], p4 * t);
        parts[4] += wave * scalar / denominator;
        for (int mu = 0; mu < 4; ++mu) parts[mu] += wave * std::sin(p[mu]) / denominator;
      }
      for (const auto& part : parts) result[t] += 3 * 4 * std::norm(part) / space;
    }
  }
  return result;
}

}  // namespace

// The source is away from the origin, since time counts from the source.
BOOST_AUTO_TEST_CASE(free_wilson_correlator_is_the_analytic_one) {
  const coordinate lattice{4, 6, 4, 8};
  const auto correlator = alone(lattice, [](const geometry& g) {
    gauge_field links(g);
    set_cold(links);
    links.exchange_ghosts();
    solve_options options = wilson_options();
    options.dirac = wilson{.mass = 0.3};
    options.tolerance = 1e-13;
    propagator_solver solver(links, options);
    return solve_point_propagator(solver, {1, 4, 3, 5}).correlator;
  });
  const auto expected = free_wilson_correlator(lattice, 0.3);
  for (int t = 0; t < lattice[3]; ++t) {
    BOOST_TEST(correlator[t] == expected[t], boost::test_tools::tolerance(1e-11));
  }
}

BOOST_AUTO_TEST_CASE(bits_of_a_propagator_do_not_depend_on_grid_or_overlap) {
  const coordinate lattice{4, 4, 4, 8};
  for (solve_options options :
       {wilson_options(), wilson_options(solver_kind::bicgstab), staggered_options()}) {
    const outcome expected = solve_on(lattice, {1, 1, 1, 1}, options);
    BOOST_TEST(expected.residual <= options.tolerance);
    for (const coordinate& grid :
         std::vector<coordinate>{{1, 1, 1, 2}, {2, 1, 1, 1}, {1, 1, 2, 2}}) {
      for (const overlap mode : {overlap::none, overlap::faces}) {
        options.overlap = mode;
        const outcome got = solve_on(lattice, grid, options);
        BOOST_TEST_CONTEXT("grid " << to_string(grid)) {
          BOOST_TEST((got.solution == expected.solution));
          BOOST_TEST((got.correlator == expected.correlator));
          BOOST_TEST(got.iterations == expected.iterations);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cg_and_bicgstab_find_the_same_solution) {
  const coordinate lattice{4, 4, 4, 8};
  const outcome cg = solve_on(lattice, {1, 1, 1, 1}, wilson_options());
  const outcome stab = solve_on(lattice, {1, 1, 1, 1}, wilson_options(solver_kind::bicgstab));
  BOOST_TEST(largest_difference(cg.solution, stab.solution) < 1e-9);
  BOOST_TEST(stab.iterations < cg.iterations);
}

BOOST_AUTO_TEST_CASE(residual_falls_to_the_tolerance_and_is_true) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12, 1e-14}) {
    solve_options options = wilson_options();
    options.tolerance = tolerance;
    const auto report = alone({4, 4, 4, 8}, [&](const geometry& g) {
      propagator_solver solver(thermal(g), options);
      fermion x(g.local_volume() * 12);
      return solver.solve(noise(g, 12, 2), x);
    });
    BOOST_TEST_CONTEXT("tolerance " << tolerance) {
      BOOST_TEST(report.converged);
      BOOST_TEST(report.residual_true <= tolerance * 1.001);
      BOOST_TEST(report.residual_true > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(unreachable_tolerance_ends_unconverged) {
  solve_options options = wilson_options();
  options.tolerance = 1e-18;
  const auto report = alone({4, 4, 4, 4}, [&](const geometry& g) {
    propagator_solver solver(thermal(g), options);
    fermion x(g.local_volume() * 12);
    return solver.solve(noise(g, 12, 2), x);
  });
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.iterations < options.max_iterations);
  BOOST_TEST(report.residual_true < 1e-14);
}

BOOST_AUTO_TEST_CASE(a_solve_that_stagnates_is_reported_and_not_thrown) {
  solve_options options;
  options.dirac = staggered{.mass = 0.01};
  options.precision = precision::single;
  options.tolerance = 1e-6;
  const auto report = alone({4, 4, 4, 4}, [&](const geometry& g) {
    gauge_field links(g);
    set_hot(links, 1);
    links.exchange_ghosts();
    propagator_solver solver(links, options);
    fermion x(g.local_volume() * 3);
    return solver.solve(noise(g, 3, 2), x);
  });
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.residual_true > options.tolerance);
  BOOST_TEST(report.residual_true < 1e-2);
}

BOOST_DATA_TEST_CASE(blocks_of_an_odd_number_of_sites_change_no_bit,
                     boost::unit_test::data::make({"wilson", "staggered"}), name) {
  const dslash kind = std::string_view(name) == "wilson" ? dslash::wilson : dslash::staggered;
  solve_options options;
  options.dirac = operator_of(kind, 0.5);
  options.tolerance = 1e-8;
  const int n = components(kind);
  const std::vector<double> shifts{0.1, 0.3};
  const auto solved = [&](const coordinate& grid) {
    std::vector<fermion> all(3, fermion(16 * static_cast<std::size_t>(n)));
    on_division({{2, 2, 2, 2}, grid}, [&](const gauge_field& links) {
      const geometry& g = links.geometry();
      propagator_solver solver(links, options);
      fermion b(g.local_volume() * n), x(b.size()), shifted(2 * b.size());
      point_source(g, {1, 0, 0, 0}, 1, n, b);
      solver.solve(b, x);
      place(g, x, all[0]);
      solver.solve_shifted(b, shifts, shifted);
      const auto half = shifted.begin() + static_cast<std::ptrdiff_t>(b.size());
      place(g, fermion(shifted.begin(), half), all[1]);
      place(g, fermion(half, shifted.end()), all[2]);
    });
    return all;
  };
  BOOST_TEST((solved({1, 1, 1, 1}) == solved({2, 2, 2, 2})));
}

BOOST_AUTO_TEST_CASE(iteration_limit_is_kept_and_reported) {
  solve_options options = wilson_options();
  options.max_iterations = 5;
  int seen = 0;
  options.progress = [&seen](const solve_progress& p) { seen = p.iteration; };
  const auto report = alone({4, 4, 4, 8}, [&](const geometry& g) {
    propagator_solver solver(thermal(g), options);
    fermion x(g.local_volume() * 12);
    return solver.solve(noise(g, 12, 2), x);
  });
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.iterations == 5);
  BOOST_TEST(seen == 5);
}

BOOST_AUTO_TEST_CASE(zero_source_has_zero_solution) {
  const auto x = alone({4, 4, 4, 4}, [](const geometry& g) {
    propagator_solver solver(thermal(g), wilson_options());
    fermion solution(g.local_volume() * 12, 1.0);
    const auto report = solver.solve(fermion(solution.size()), solution);
    if (!report.converged) solution[0] = 2.0;
    return solution;
  });
  BOOST_TEST(largest_difference(x, fermion(x.size())) == 0.0);
}

BOOST_AUTO_TEST_CASE(numbers_that_overflow_end_in_an_error) {
  const auto attempt = [](solve_options options, double entry) {
    alone({4, 4, 4, 4}, [&](const geometry& g) {
      gauge_field links = thermal(g);
      links.link(0, {1, 1, 1, 1})[0] = entry;
      links.exchange_ghosts();
      propagator_solver solver(links, options);
      fermion b(g.local_volume() * components(kind_of(options.dirac)), 1.0);
      fermion x(b.size());
      return solver.solve(b, x);
    });
  };
  for (const solver_kind solver : {solver_kind::cg, solver_kind::bicgstab}) {
    solve_options options = wilson_options();
    options.solver = solver;
    for (const double entry : {std::numeric_limits<double>::quiet_NaN(), 1e200})
      BOOST_CHECK_THROW(attempt(options, entry), numeric_error);
  }
  BOOST_CHECK_THROW(attempt(staggered_options(), std::numeric_limits<double>::infinity()),
                    numeric_error);
}

BOOST_AUTO_TEST_CASE(sources_and_sums_outside_of_a_field_are_refused) {
  alone({2, 2, 2, 4}, [](const geometry& g) {
    fermion b(g.local_volume() * 12);
    const std::span<std::complex<double>> few(b.data(), b.size() - 12);
    BOOST_CHECK_THROW(point_source(g, {1, 1, 1, 3}, 12, 12, b), usage_error);
    BOOST_CHECK_THROW(point_source(g, {1, 1, 1, 3}, -1, 12, b), usage_error);
    BOOST_CHECK_THROW(wall_source(g, 3, 12, 12, b), usage_error);
    BOOST_CHECK_THROW(noise_wall_source(g, 3, 1, 4, 12, b), usage_error);
    BOOST_CHECK_THROW(random_source(g, 1, 12, few), usage_error);
    std::vector<double> sums(4);
    BOOST_CHECK_THROW(add_pion_correlator(g, 12, 9, b, sums), usage_error);
    BOOST_CHECK_THROW(meson_correlators(g, {0, 0, 0, 15}, b, b, {}), usage_error);
    return 0;
  });
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
  const auto attempt = [](solve_options options, std::size_t size_offset = 0, double first = 1.0) {
    alone({4, 4, 4, 4}, [&](const geometry& g) {
      propagator_solver solver(thermal(g), options);
      fermion b(g.local_volume() * components(kind_of(options.dirac)) + size_offset, first);
      fermion x(b.size());
      return solver.solve(b, x);
    });
  };
  solve_options options = staggered_options();
  options.solver = solver_kind::bicgstab;
  BOOST_CHECK_THROW(attempt(options), usage_error);
  options.solver = solver_kind::block_cg;
  options.dirac = staggered{.mass = -0.3};
  BOOST_CHECK_THROW(attempt(options), usage_error);
  options = staggered_options();
  options.dirac = staggered{.mass = 0};
  BOOST_CHECK_THROW(attempt(options), usage_error);
  options = wilson_options();
  options.tolerance = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_THROW(attempt(options), usage_error);
  options = wilson_options();
  options.max_iterations = 0;
  BOOST_CHECK_THROW(attempt(options), usage_error);
  BOOST_CHECK_THROW(attempt(wilson_options(), 1), usage_error);
  BOOST_CHECK_THROW(attempt(wilson_options(), 0, std::numeric_limits<double>::infinity()),
                    numeric_error);
  BOOST_CHECK_THROW(alone({4, 4, 4, 4},
                          [](const geometry& g) {
                            propagator_solver solver(thermal(g), wilson_options());
                            fermion b(g.local_volume() * 12, 1.0);
                            return solver.solve(b, b);
                          }),
                    usage_error);
  BOOST_CHECK_THROW(alone({4, 3, 4, 4},
                          [](const geometry& g) {
                            gauge_field links(g);
                            set_cold(links);
                            links.exchange_ghosts();
                            propagator_solver solver(links, wilson_options());
                            return 0;
                          }),
                    usage_error);
}
