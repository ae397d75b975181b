// These operators have more than a number at each site: clover and twisted mass, alone and
// together.

#include <onehop/error.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numbers>

#include "physics/fermion_tools.hpp"
#include "physics/gauge_tools.hpp"
#include "reference/dirac_operator.hpp"

using namespace onehop;
using namespace onehop::tests;
namespace data = boost::unit_test::data;

namespace {

struct site_terms {
  double csw, mu;
};
std::ostream& operator<<(std::ostream& out, const site_terms& terms) {
  return out << "csw " << terms.csw << " mu " << terms.mu;
}

const auto all_terms = data::make(std::vector<site_terms>{{1.3, 0}, {0, 0.4}, {1.3, -0.4}});

dirac_operator made_of(const site_terms& terms, double mass) {
  if (terms.csw == 0) return wilson{.mass = mass, .mu = terms.mu};
  return clover{.mass = mass, .csw = terms.csw, .mu = terms.mu};
}

solve_options options_for(const site_terms& terms, overlap mode = overlap::fused) {
  solve_options options;
  options.dirac = made_of(terms, 0.07);
  options.overlap = mode;
  return options;
}

fermion reference_result(const gauge_field& links, const solve_options& options, const fermion& in,
                         bool dagger) {
  fermion out(in.size());
  reference::clover(links, mass_of(options.dirac), csw_of(options.dirac),
                    options.boundary == boundary::antiperiodic, mu_of(options.dirac))
      .apply(in, out, dagger);
  return out;
}

/// Makes this rank's block of links, cold except for what `make` changes.
gauge_field links_made(const geometry& g, const std::function<void(gauge_field&)>& make) {
  gauge_field links(g);
  set_cold(links);
  make(links);
  links.exchange_ghosts();
  return links;
}

}  // namespace

BOOST_DATA_TEST_CASE(fast_operator_is_the_reference_on_every_grid, all_terms, terms) {
  for (const division& d : divisions()) {
    for (const bool dagger : {false, true}) {
      const double difference = worst(d, [&](const gauge_field& links) {
        const solve_options options = options_for(terms);
        propagator_solver m(links, options);
        const fermion psi = noise(links.geometry(), 12, 3);
        return largest_difference(applied(m, psi, dagger),
                                  reference_result(links, options, psi, dagger));
      });
      BOOST_TEST_CONTEXT(name(d) << (dagger ? " dagger" : "")) BOOST_TEST(difference < 1e-13);
    }
  }
}

BOOST_DATA_TEST_CASE(bits_do_not_depend_on_grid_or_overlap,
                     all_terms* data::make({overlap::none, overlap::faces}), terms, mode) {
  const coordinate lattice{8, 4, 4, 8};
  fermion expected;
  for (const coordinate& grid : std::vector<coordinate>{
           {1, 1, 1, 1}, {1, 1, 1, 2}, {2, 1, 1, 1}, {1, 1, 2, 2}, {2, 2, 1, 1}}) {
    fermion global(volume(lattice) * 12);
    on_division({lattice, grid}, [&](const gauge_field& links) {
      solve_options options = options_for(terms, mode);
      options.tolerance = 1e-3;
      // With a wrong adjoint CG would not get there.
      options.max_iterations = 500;
      propagator_solver m(links, options);
      const fermion b = noise(links.geometry(), 12, 3);
      fermion x(b.size());
      if (!m.solve(applied(m, b), x).converged) throw std::runtime_error("CG does not converge");
      place(links.geometry(), x, global);
    });
    if (expected.empty()) expected = global;
    BOOST_TEST_CONTEXT(to_string(grid)) BOOST_TEST((global == expected));
  }
}

BOOST_DATA_TEST_CASE(gamma5_turns_the_dagger_into_the_other_flavour, all_terms, terms) {
  const double difference = worst({{8, 4, 4, 8}, {2, 1, 1, 2}}, [&](const gauge_field& links) {
    propagator_solver m(links, options_for(terms));
    propagator_solver other(links, options_for({terms.csw, -terms.mu}));
    const fermion psi = noise(links.geometry(), 12, 3);
    return largest_difference(times_gamma5(applied(m, times_gamma5(psi))),
                              applied(other, psi, true));
  });
  BOOST_TEST(difference < 1e-13);
}

BOOST_DATA_TEST_CASE(dagger_is_the_adjoint, all_terms, terms) {
  const double difference = worst({{4, 4, 4, 8}, {1, 1, 2, 2}}, [&](const gauge_field& links) {
    propagator_solver m(links, options_for(terms));
    const geometry& g = links.geometry();
    const fermion a = noise(g, 12, 3), b = noise(g, 12, 4);
    const auto left = scalar_product(g, a, applied(m, b));
    return std::abs(left - scalar_product(g, applied(m, a, true), b)) / std::abs(left);
  });
  BOOST_TEST(difference < 1e-12);
}

BOOST_DATA_TEST_CASE(correlator_is_gauge_invariant, all_terms, terms) {
  const double change = worst(2, [&](context ctx) {
    const geometry g(ctx, {4, 4, 4, 4}, {1, 1, 2, 1});
    gauge_field links(g);
    set_hot(links, 21);
    for (std::uint64_t sweep = 0; sweep < 4; ++sweep) heatbath_sweep(links, {6.0, 4, 1}, sweep);
    solve_options options = options_for(terms);
    options.dirac = with_mass(options.dirac, 0.4);
    options.tolerance = 1e-12;
    const auto correlator = [&] {
      propagator_solver solver(links, options);
      return solve_point_propagator(solver, {1, 2, 3, 1}).correlator;
    };
    const std::vector<double> before = correlator();
    transform_randomly(links, 9);
    const std::vector<double> after = correlator();
    double largest = 0;
    for (std::size_t t = 0; t < before.size(); ++t)
      largest = larger(largest, std::abs(after[t] / before[t] - 1));
    return largest;
  });
  BOOST_TEST(change < 1e-10);
}

BOOST_AUTO_TEST_CASE(terms_of_size_zero_leave_wilson_bit_for_bit) {
  const double difference = worst({{4, 4, 4, 8}, {1, 1, 1, 2}}, [](const gauge_field& links) {
    solve_options options = options_for({0, 0});
    const fermion b = noise(links.geometry(), 12, 3);
    fermion without(b.size()), with(b.size());
    propagator_solver(links, options).solve(b, without);
    options.dirac = clover{.mass = mass_of(options.dirac), .csw = 0};
    propagator_solver(links, options).solve(b, with);
    return with == without ? 0.0 : 1.0;
  });
  BOOST_TEST(difference == 0.0);
}

BOOST_AUTO_TEST_CASE(free_field_has_no_clover_term) {
  const double difference = worst(2, [](context ctx) {
    const geometry g(ctx, {4, 4, 4, 8}, {1, 1, 1, 2});
    const gauge_field links = links_made(g, [](gauge_field&) {});
    propagator_solver wilson(links, options_for({0, 0.2})), clover(links, options_for({2.0, 0.2}));
    const fermion b = noise(g, 12, 3);
    fermion x(b.size()), y(b.size());
    wilson.solve(b, x);
    clover.solve(b, y);
    return largest_difference(x, y);
  });
  BOOST_TEST(difference <= 1e-9);
}

// On twisted plane waves M^+ M = (4 + m - sum cos p)^2 + sum sin^2 p + mu^2.
BOOST_AUTO_TEST_CASE(twisted_plane_waves_have_the_free_spectrum) {
  const double difference = worst(1, [](context ctx) {
    const geometry g(ctx, {4, 4, 4, 4});
    const gauge_field links = links_made(g, [](gauge_field&) {});
    solve_options options = options_for({0, 0.6});
    options.boundary = boundary::periodic;
    propagator_solver m(links, options);
    fermion wave(g.local_volume() * 12);
    for (std::size_t k = 0; k < g.local_volume(); ++k) {
      const coordinate x = g.local_site(k);
      wave[12 * k + 4] = std::polar(1.0, std::numbers::pi / 2 * (x[0] + 2 * x[2] + 3 * x[3]));
    }
    // The momenta pi/2, 0, pi, 3 pi/2 have the cosines 0, 1, -1, 0 and the sines 1, 0, 0, -1.
    const double expected = (4 + mass_of(options.dirac)) * (4 + mass_of(options.dirac)) + 2 + 0.36;
    const fermion image = applied(m, applied(m, wave), true);
    for (auto& value : wave) value *= expected;
    return largest_difference(image, wave);
  });
  BOOST_TEST(difference <= 1e-12);
}

namespace {

/// Sets links exp(i phase) and exp(-i phase) in the first two colours, such that every plaquette in
/// the plane is that of a constant field b: U_nu(x) = exp(i b x_mu), and what closes the torus.
void set_constant_field(gauge_field& links, std::size_t mu, std::size_t nu, double b) {
  const geometry& g = links.geometry();
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate site = g.local_site(k), x = g.global_site(site);
    const auto set = [&](std::size_t direction, double phase) {
      links.link(static_cast<int>(direction), site) = {
          std::polar(1.0, phase), 0, 0, 0, std::polar(1.0, -phase), 0, 0, 0, 1};
    };
    set(nu, b * x[mu]);
    if (x[mu] == g.lattice()[mu] - 1) set(mu, -b * g.lattice()[mu] * x[nu]);
  }
}

struct field_direction {
  std::size_t mu, nu;
  std::array<double, 4> spins;  ///< the diagonal of sigma_mu_nu
};
std::ostream& operator<<(std::ostream& out, const field_direction& d) {
  return out << d.mu << d.nu;
}

}  // namespace

// In a constant field F = sin b in the first colour, -sin b in the second, 0 in the third.
BOOST_DATA_TEST_CASE(constant_field_splits_the_spins,
                     data::make(std::vector<field_direction>{{0, 1, {1, -1, 1, -1}},
                                                             {2, 3, {-1, 1, 1, -1}}}),
                     where) {
  const double difference = worst(2, [&](context ctx) {
    const geometry g(ctx, {4, 4, 4, 4}, {1, 2, 1, 1});
    const double b = 2 * std::numbers::pi * 3 / 16;
    const gauge_field links =
        links_made(g, [&](gauge_field& u) { set_constant_field(u, where.mu, where.nu, b); });
    constexpr double csw = 1.7;
    propagator_solver clover(links, options_for({csw, 0})), wilson(links, options_for({0, 0}));
    fermion psi = noise(g, 12, 3), term = applied(clover, psi);
    const fermion rest = applied(wilson, psi);
    for (std::size_t k = 0; k < psi.size(); ++k) {
      const std::array<double, 3> strength = {std::sin(b), -std::sin(b), 0};
      term[k] -= rest[k];
      psi[k] *= -csw / 2 * where.spins[k % 12 / 3] * strength[k % 3];
    }
    return largest_difference(term, psi);
  });
  BOOST_TEST(difference <= 1e-13);
}

BOOST_AUTO_TEST_CASE(singular_blocks_are_named) {
  const auto attempt = [](double mass) {
    run_on_threads(2, [&](context ctx) {
      const geometry g(ctx, {4, 4, 4, 4}, {1, 1, 1, 2});
      // With F = 1, 0, -1 the term is -1/2, 0, 1/2.
      const gauge_field links =
          links_made(g, [&](gauge_field& u) { set_constant_field(u, 0, 1, std::numbers::pi / 2); });
      solve_options options = options_for({1, 0});
      options.dirac = with_mass(options.dirac, mass);
      propagator_solver solver(links, options);
    });
  };
  BOOST_CHECK_NO_THROW(attempt(-3.75));
  BOOST_CHECK_EXCEPTION(attempt(-3.5), usage_error, [](const usage_error& e) {
    const std::string what = e.what();
    return what.find("spins 0, 1 at site") != std::string::npos &&
           what.find("no inverse") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(blocks_that_are_not_finite_are_an_error) {
  BOOST_CHECK_THROW(on_division({{4, 4, 4, 4}, {1, 1, 1, 2}},
                                [](const gauge_field& links) {
                                  gauge_field broken(links.geometry());
                                  std::ranges::copy(links.data(), broken.data().begin());
                                  broken.link(1, {1, 2, 1, 0})[3] = std::nan("");
                                  propagator_solver solver(broken, options_for({1, 0}));
                                }),
                    numeric_error);
}

BOOST_AUTO_TEST_CASE(parameters_that_are_no_numbers_are_refused) {
  const auto attempt = [](const solve_options& options) {
    on_division({{4, 4, 4, 4}, {1, 1, 1, 1}},
                [&](const gauge_field& links) { propagator_solver solver(links, options); });
  };
  BOOST_CHECK_THROW(attempt(options_for({std::nan(""), 0})), usage_error);
  BOOST_CHECK_THROW(attempt(options_for({0, std::nan("")})), usage_error);
}
