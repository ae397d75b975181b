/// Smeared quarks and baryons must be the same on every grid; the tests in Python check what they
/// are. Mesons must be the traces that define them.

#include <onehop/baryon.hpp>
#include <onehop/error.hpp>
#include <onehop/meson.hpp>
#include <onehop/propagator.hpp>
#include <onehop/quark_smearing.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "physics/fermion_tools.hpp"
#include "solver/spin_matrix.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

const coordinate lattice{4, 4, 4, 4};
const std::vector<coordinate> grids = {{2, 1, 1, 1}, {1, 1, 2, 2}, {1, 4, 1, 1}};

fermion smeared_on(const coordinate& grid, int n) {
  fermion whole(volume(lattice) * n);
  on_division({lattice, grid}, [&](const gauge_field& links) {
    fermion field = noise(links.geometry(), n, 2);
    smear_wuppertal(links, 0.3, 3, n, field);
    place(links.geometry(), field, whole);
  });
  return whole;
}

std::vector<std::complex<double>> baryons_on(const coordinate& grid) {
  std::vector<std::complex<double>> found;
  on_division({lattice, grid}, [&](const gauge_field& links) {
    const coordinate site{1, 2, 3, 3};
    const std::array<momentum, 2> momenta = {{{0, 0, 0}, {1, -1, 0}}};
    solve_options options;
    options.dirac = wilson{.mass = 0.8};
    options.tolerance = 1e-8;
    propagator_solver solver(links, options);
    const propagator quark = solve_point_propagator(solver, site);
    const auto mine = baryon_correlators(links.geometry(), site, options.boundary, quark.data,
                                         quark.data, momenta);
    if (links.geometry().context().rank() == 0) found = mine;
  });
  return found;
}

using complex = std::complex<double>;

/// A square matrix of `n` rows, whose product takes every entry.
struct matrix {
  int n;
  std::vector<complex> entries = std::vector<complex>(static_cast<std::size_t>(n * n));
  complex& operator()(int row, int column) { return entries[row * n + column]; }
  complex operator()(int row, int column) const { return entries[row * n + column]; }
  matrix operator*(const matrix& other) const {
    matrix result{n};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) result(i, j) += (*this)(i, k) * other(k, j);
    return result;
  }
  matrix adjoint() const {
    matrix result{n};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) result(i, j) = std::conj((*this)(j, i));
    return result;
  }
  complex trace() const {
    complex sum = 0;
    for (int i = 0; i < n; ++i) sum += (*this)(i, i);
    return sum;
  }
};

/// Returns a matrix of spins that does nothing to the colours.
matrix full(const spin_matrix& spins) {
  matrix result{12};
  for (int row = 0; row < 12; ++row)
    result(row, spins.column[row / 3] * 3 + row % 3) = spins.entry[row / 3];
  return result;
}

/// Returns what a propagator is from its source to a site.
matrix propagator_to(const fermion& propagator, std::size_t volume, std::size_t site) {
  matrix result{12};
  for (int column = 0; column < 12; ++column)
    for (int row = 0; row < 12; ++row)
      result(row, column) = propagator[(column * volume + site) * 12 + row];
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(mesons_are_the_traces_that_define_them) {
  on_division({lattice, {1, 1, 1, 1}}, [](const gauge_field& links) {
    const geometry& g = links.geometry();
    const std::size_t volume = g.local_volume();
    const fermion quark = noise(g, 144, 1), antiquark = noise(g, 144, 2);
    const coordinate source{1, 2, 0, 3};
    const std::array<momentum, 1> rest = {{{0, 0, 0}}};
    const auto found = meson_correlators(g, source, quark, antiquark, rest);
    const matrix gamma_5 = full(gamma5()), gamma_t = full(gammas()[3]);
    for (int number = 0; number < 16; ++number) {
      matrix gamma = full({});
      for (int mu = 0; mu < 4; ++mu)
        if ((number >> mu & 1) == 1) gamma = gamma * full(gammas()[mu]);
      gamma = gamma_5 * gamma;
      const complex turned = (gamma_t * gamma * gamma_t * gamma.adjoint()).trace();
      std::array<complex, 4> expected{};
      for (std::size_t site = 0; site < volume; ++site) {
        const int t = (g.global_site(g.local_site(site))[3] - source[3] + lattice[3]) % lattice[3];
        expected[t] += turned.real() / 12 *
                       (gamma * propagator_to(quark, volume, site) * gamma.adjoint() *
                        propagator_to(antiquark, volume, site).adjoint())
                           .trace();
      }
      for (int t = 0; t < lattice[3]; ++t)
        test::expect(std::abs(found[number * lattice[3] + t] - expected[t]) < 1e-10,
                     "gamma " + std::to_string(number) + " at t " + std::to_string(t));
    }
  });
}

BOOST_AUTO_TEST_CASE(smeared_quarks_are_the_same_bits_on_every_grid) {
  for (const int n : {12, 3}) {
    const fermion alone = smeared_on({1, 1, 1, 1}, n);
    for (const coordinate& grid : grids) BOOST_TEST((smeared_on(grid, n) == alone));
  }
}

BOOST_AUTO_TEST_CASE(baryons_are_the_same_bits_on_every_grid) {
  const auto alone = baryons_on({1, 1, 1, 1});
  BOOST_TEST(alone.size() == 4 * 2 * 4U);
  BOOST_TEST(alone[1].real() > 0);
  for (const coordinate& grid : grids) BOOST_TEST((baryons_on(grid) == alone));
}

// The norm of eps (u^T C gamma5 d) u counts, for each of two spins of the last quark, three other
// spins of the first u with six orders of colours, and its own with three that add up twice.
BOOST_AUTO_TEST_CASE(a_proton_of_quarks_that_stay_in_place_has_its_norm) {
  on_division({lattice, {1, 1, 1, 1}}, [](const gauge_field& links) {
    const std::size_t numbers = links.geometry().local_volume() * 12;
    fermion quark(12 * numbers);
    for (std::size_t n = 0; n < 12; ++n) quark[n * numbers + n] = 1;
    const std::array<momentum, 1> rest = {{{0, 0, 0}}};
    const auto found =
        baryon_correlators(links.geometry(), {}, boundary::periodic, quark, quark, rest);
    test::expect(found.size() == 4 * 4, "four baryons on four time slices");
    for (std::size_t n = 0; n < found.size(); ++n) {
      const bool is_there = n % 4 == 0, is_proton = n < 8;
      if (!is_there || is_proton)
        test::expect(std::abs(found[n] - (is_there ? 60.0 : 0.0)) < 1e-12, std::to_string(n));
    }
    test::expect(found[8].real() > 1, "a delta");
    test::expect(std::abs(found[8] - found[12]) < 1e-12, "both parities");
  });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_smeared_or_contracted_is_refused) {
  on_division({lattice, {1, 1, 1, 2}}, [](const gauge_field& links) {
    fermion field(links.geometry().local_volume() * 12);
    test::message_of<usage_error>([&] { smear_wuppertal(links, -0.1, 1, 12, field); });
    test::message_of<usage_error>([&] { smear_wuppertal(links, 0.1, -1, 12, field); });
    test::message_of<usage_error>([&] { smear_wuppertal(links, 0.1, 1, 4, field); });
    field.pop_back();
    test::message_of<usage_error>([&] { smear_wuppertal(links, 0.1, 1, 12, field); });
    const std::array<momentum, 1> rest = {{{0, 0, 0}}};
    test::message_of<usage_error>(
        [&] { baryon_correlators(links.geometry(), {}, boundary::periodic, field, field, rest); });
  });
}
