// The fast operators are compared with the reference and with what every Dirac operator must obey.

#include "reference/dirac_operator.hpp"
#include "dirac/hop_links.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numbers>

#include "physics/fermion_tools.hpp"

using namespace onehop;
using namespace onehop::tests;
namespace data = boost::unit_test::data;

namespace onehop {
std::ostream& operator<<(std::ostream& out, dslash kind) {
  const char* const names[] = {"wilson", "clover", "staggered", "asqtad", "hisq"};
  return out << names[static_cast<int>(kind)];
}
}  // namespace onehop

namespace {

const auto operators = data::make({dslash::wilson, dslash::staggered, dslash::asqtad});
const auto staggered_operators = data::make({dslash::staggered, dslash::asqtad, dslash::hisq});

solve_options options_for(dslash kind, overlap mode = overlap::fused) {
  solve_options options;
  options.dirac = operator_of(kind, 0.07);
  options.overlap = mode;
  if (auto* of = std::get_if<asqtad>(&options.dirac)) of->u0 = 0.9;
  return options;
}

fermion reference_result(const gauge_field& links, const solve_options& options, const fermion& in,
                         bool dagger) {
  fermion out(in.size());
  const double mass = mass_of(options.dirac);
  const bool antiperiodic = options.boundary == boundary::antiperiodic;
  if (kind_of(options.dirac) == dslash::wilson) {
    reference::wilson(links, mass, antiperiodic).apply(in, out, dagger);
  } else if (is_improved(kind_of(options.dirac))) {
    const hop_links made(links, options.dirac);
    reference::improved_staggered(made.near(), made.far(), mass, antiperiodic)
        .apply(in, out, dagger);
  } else {
    reference::staggered(links, mass, antiperiodic).apply(in, out, dagger);
  }
  return out;
}

colour_matrix product(const colour_matrix& a, const colour_matrix& b, bool adjoint_b = false) {
  colour_matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        c[3 * i + j] += a[3 * i + k] * (adjoint_b ? std::conj(b[3 * j + k]) : b[3 * k + j]);
      }
    }
  }
  return c;
}

/// Returns psi'(x) = g(x) psi(x), where g is direction 0 of a random gauge field.
fermion rotated(const gauge_field& g, fermion psi) {
  const geometry& block = g.geometry();
  const std::size_t n = psi.size() / block.local_volume();
  for (std::size_t k = 0; k < block.local_volume(); ++k) {
    const colour_matrix& u = g.link(0, block.local_site(k));
    for (std::size_t s = 0; s < n; s += 3) {
      const auto* v = &psi[k * n + s];
      const std::array<std::complex<double>, 3> old = {v[0], v[1], v[2]};
      for (int a = 0; a < 3; ++a) {
        psi[k * n + s + a] = u[3 * a] * old[0] + u[3 * a + 1] * old[1] + u[3 * a + 2] * old[2];
      }
    }
  }
  return psi;
}

/// Returns U'_mu(x) = g(x) U_mu(x) g^+(x+mu).
gauge_field rotated(const gauge_field& g, const gauge_field& links) {
  const geometry& block = g.geometry();
  gauge_field result(block);
  for (std::size_t k = 0; k < block.local_volume(); ++k) {
    const coordinate x = block.local_site(k);
    for (int mu = 0; mu < 4; ++mu) {
      coordinate ahead = x;
      ++ahead[mu];
      result.link(mu, x) =
          product(product(g.link(0, x), links.link(mu, x)), g.link(0, ahead), true);
    }
  }
  result.exchange_ghosts();
  return result;
}

}  // namespace

BOOST_DATA_TEST_CASE(fast_operator_is_the_reference_on_every_grid, operators, kind) {
  for (const division& d : divisions(kind)) {
    for (const bool dagger : {false, true}) {
      const double difference = worst(d, [&](const gauge_field& links) {
        const solve_options options = options_for(kind);
        propagator_solver m(links, options);
        const fermion psi = noise(links.geometry(), components(kind), 3);
        return largest_difference(applied(m, psi, dagger),
                                  reference_result(links, options, psi, dagger));
      });
      BOOST_TEST_CONTEXT(name(d) << (dagger ? " dagger" : "")) BOOST_TEST(difference < 1e-13);
    }
  }
}

BOOST_DATA_TEST_CASE(bits_do_not_depend_on_grid_or_overlap,
                     operators* data::make({overlap::none, overlap::fused, overlap::faces}), kind,
                     mode) {
  const coordinate lattice{8, 8, 4, 8};
  const std::size_t size = volume(lattice) * components(kind);
  fermion expected;
  for (const coordinate& grid : std::vector<coordinate>{
           {1, 1, 1, 1}, {1, 1, 1, 2}, {2, 1, 1, 1}, {1, 1, 2, 2}, {2, 2, 1, 1}, {1, 1, 1, 4}}) {
    if (grid[2] * grid[3] > 2 && is_improved(kind)) continue;  // skips blocks of 2 sites
    fermion global(size);
    on_division({lattice, grid}, [&](const gauge_field& links) {
      propagator_solver m(links, options_for(kind, mode));
      const fermion psi = noise(links.geometry(), components(kind), 3);
      place(links.geometry(), applied(m, applied(m, psi), true), global);
    });
    if (expected.empty()) expected = global;
    BOOST_TEST_CONTEXT(to_string(grid)) BOOST_TEST((global == expected));
  }
}

BOOST_AUTO_TEST_CASE(wilson_is_gamma5_hermitian) {
  const double difference = worst({{8, 4, 4, 8}, {2, 1, 1, 2}}, [](const gauge_field& links) {
    propagator_solver m(links, options_for(dslash::wilson));
    const fermion psi = noise(links.geometry(), 12, 3);
    return largest_difference(times_gamma5(applied(m, times_gamma5(psi))), applied(m, psi, true));
  });
  BOOST_TEST(difference < 1e-13);
}

BOOST_DATA_TEST_CASE(dagger_is_the_adjoint, operators, kind) {
  const double difference = worst({{4, 4, 6, 8}, {1, 1, 2, 2}}, [&](const gauge_field& links) {
    propagator_solver m(links, options_for(kind));
    const geometry& g = links.geometry();
    const fermion a = noise(g, components(kind), 3);
    const fermion b = noise(g, components(kind), 4);
    const auto left = scalar_product(g, a, applied(m, b));
    return std::abs(left - scalar_product(g, applied(m, a, true), b)) / std::abs(left);
  });
  BOOST_TEST(difference < 1e-12);
}

BOOST_DATA_TEST_CASE(massless_staggered_is_antihermitian, staggered_operators, kind) {
  const double difference = worst({{4, 4, 4, 8}, {1, 1, 1, 2}}, [&](const gauge_field& links) {
    solve_options options = options_for(kind);
    const fermion chi = noise(links.geometry(), 3, 3);
    propagator_solver m(links, options);
    fermion sum = applied(m, chi);
    const fermion other = applied(m, chi, true);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += other[k] - 2 * mass_of(options.dirac) * chi[k];
    }
    return largest_difference(sum, fermion(sum.size()));
  });
  BOOST_TEST(difference < 1e-13);
}

BOOST_DATA_TEST_CASE(operator_is_gauge_covariant, operators, kind) {
  const double difference = worst({{4, 6, 4, 8}, {1, 2, 1, 2}}, [&](const gauge_field& links) {
    gauge_field g(links.geometry());
    set_hot(g, 77);
    g.exchange_ghosts();
    propagator_solver m(links, options_for(kind));
    propagator_solver m_rotated(rotated(g, links), options_for(kind));
    const fermion psi = noise(links.geometry(), components(kind), 3);
    return largest_difference(applied(m_rotated, rotated(g, psi)), rotated(g, applied(m, psi)));
  });
  BOOST_TEST(difference < 1e-13);
}

namespace {

/// Returns exp(i p x) with p of the boundary condition, in one component.
fermion plane_wave(const geometry& g, int n, int component, const std::array<double, 4>& p) {
  fermion wave(g.local_volume() * n);
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.global_site(g.local_site(k));
    double phase = 0;
    for (int mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
    wave[k * n + component] = std::polar(1.0, phase);
  }
  return wave;
}

std::array<double, 4> momentum(const geometry& g, const coordinate& n, bool antiperiodic) {
  std::array<double, 4> p{};
  for (int mu = 0; mu < 4; ++mu) p[mu] = 2 * std::numbers::pi * n[mu] / g.lattice()[mu];
  if (antiperiodic) p[3] += std::numbers::pi / g.lattice()[3];
  return p;
}

}  // namespace

// On a free plane wave M^+ M is (4 + m - sum cos p)^2 + sum sin^2 p for Wilson, m^2 + sum sin^2 p
// for naive staggered fermions, with 9/8 sin p - 1/24 sin 3p for sin p for improved ones.
BOOST_DATA_TEST_CASE(plane_waves_have_the_free_spectrum,
                     (operators + data::make(dslash::hisq)) * data::make({false, true}), kind,
                     antiperiodic) {
  const double difference = worst(2, [&](context ctx) {
    const geometry block(ctx, {4, 8, 6, 8}, {1, 1, 1, 2});
    gauge_field links(block);
    set_cold(links);
    links.exchange_ghosts();
    solve_options options = options_for(kind);
    options.boundary = antiperiodic ? boundary::antiperiodic : boundary::periodic;
    options.dirac = operator_of(kind, 0.07);
    propagator_solver m(links, options);
    double largest = 0;
    for (const coordinate& n : std::vector<coordinate>{{0, 0, 0, 0}, {1, 3, 2, 5}, {2, 1, 0, 7}}) {
      const auto p = momentum(block, n, antiperiodic);
      double cosines = 0, sines2 = 0;
      for (const double q : p) {
        cosines += std::cos(q);
        const double sine =
            is_improved(kind) ? 9.0 / 8 * std::sin(q) - 1.0 / 24 * std::sin(3 * q) : std::sin(q);
        sines2 += sine * sine;
      }
      const double scalar =
          kind == dslash::wilson ? 4 + mass_of(options.dirac) - cosines : mass_of(options.dirac);
      const double expected = scalar * scalar + sines2;
      for (int c = 0; c < components(kind); c += 2) {
        fermion wave = plane_wave(block, components(kind), c, p);
        const fermion image = applied(m, applied(m, wave), true);
        for (auto& value : wave) value *= expected;
        largest = larger(largest, largest_difference(image, wave) / (1 + expected));
      }
    }
    return largest;
  });
  BOOST_TEST(difference <= 1e-13);
}
