/// Smearing, flow and measurements on gauge fields are tested on fields whose answer is known.

#include <onehop/error.hpp>
#include <onehop/gauge_observables.hpp>
#include <onehop/smearing.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "gauge/su3_functions.hpp"
#include "physics/gauge_tools.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::tests;
using std::numbers::pi;

namespace {

using change = std::function<void(gauge_field&)>;

const std::vector<change>& all_changes() {
  static const std::vector<change> changes = {
      [](gauge_field& u) { smear_ape(u, 0.6); },
      [](gauge_field& u) { smear_ape(u, 0.5, smeared_directions::spatial); },
      [](gauge_field& u) { smear_stout(u, 0.12); },
      [](gauge_field& u) { smear_stout(u, 0.12, smeared_directions::spatial); },
      [](gauge_field& u) { smear_hyp(u); },
      [](gauge_field& u) { flow_step(u, 0.05); },
  };
  return changes;
}

std::vector<double> observe(const gauge_field& links) {
  const auto clover = clover_field_strength(links);
  std::vector<double> all = {plaquette(links).mean, rectangle(links), clover.energy,
                             clover.topological_charge};
  for (const auto& loop : polyakov_loops(links)) {
    all.push_back(loop.real());
    all.push_back(loop.imag());
  }
  return all;
}

/// Sets links that are neither smooth nor wild, as after a few sweeps.
void set_warm(gauge_field& links) {
  set_hot(links, 7);
  for (std::uint64_t sweep = 0; sweep < 4; ++sweep)
    heatbath_sweep(links, {.beta = 6.0, .seed = 5, .overrelaxation = 1}, sweep);
}

void on_one_rank(const coordinate& lattice, const std::function<void(gauge_field&)>& body) {
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, lattice, {1, 1, 1, 1}));
    body(links);
  });
}

colour_matrix diagonal(double first, double second) {
  colour_matrix u{};
  u[0] = std::polar(1.0, first);
  u[4] = std::polar(1.0, second);
  u[8] = std::polar(1.0, -first - second);
  return u;
}

/// Sets Abelian fields of flux 2 pi k through the whole x-y plane and 2 pi l through z-t, the same
/// through every plaquette.
void set_fluxes(gauge_field& links, int k, int l) {
  const geometry& block = links.geometry();
  const coordinate& extent = block.lattice();
  set_cold(links);
  const std::pair<std::size_t, int> planes[] = {{0, k}, {2, l}};
  for (std::size_t site = 0; site < block.local_volume(); ++site)
    for (const auto& [a, quanta] : planes) {
      const coordinate x = block.local_site(site);
      const std::size_t b = a + 1;
      const double flux = 2 * pi * quanta / (extent[a] * extent[b]);
      const double along_b = flux * x[a];
      const double along_a = x[a] == extent[a] - 1 ? -flux * extent[a] * x[b] : 0;
      links.link(static_cast<int>(a), x) = diagonal(along_a, -along_a);
      links.link(static_cast<int>(b), x) = diagonal(along_b, -along_b);
    }
  links.exchange_ghosts();
}

/// Sets links exp(i a T cos(p z)) in direction x: a transverse wave of small amplitude, which is
/// free.
void set_wave(gauge_field& links, double amplitude, double momentum) {
  const geometry& block = links.geometry();
  set_cold(links);
  for (std::size_t site = 0; site < block.local_volume(); ++site) {
    const coordinate x = block.local_site(site);
    const double phase = amplitude * std::cos(momentum * x[2]);
    links.link(0, x) = diagonal(phase, -2 * phase);
  }
  links.exchange_ghosts();
}

double wave_amplitude(const gauge_field& links) { return std::arg(links.link(0, {0, 0, 0, 0})[0]); }

}  // namespace

BOOST_AUTO_TEST_CASE(the_nearest_unitary_matrix_is_unitary_or_there_is_none) {
  on_one_rank({2, 2, 2, 4}, [](gauge_field& links) {
    set_hot(links, 3);
    int none = 0;
    for (std::size_t k = 0; k < 32; ++k)
      for (const double smallest : {0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-3}) {
        colour_matrix stretched = links.link(1, links.geometry().local_site(k));
        for (std::size_t row = 0; row < 3; ++row) stretched[3 * row + 2] *= smallest;
        const colour_matrix a =
            su3::multiply(links.link(0, links.geometry().local_site(k)), stretched);
        const auto u = su3::nearest_u3(a);
        if (!u) {
          ++none;
          BOOST_TEST(smallest < 1e-7);
          continue;
        }
        BOOST_TEST(su3::norm(su3::add(su3::multiply_adjoint(*u, *u), -1.0, su3::unit())) < 1e-6);
      }
    BOOST_TEST(none >= 32);
  });
}

BOOST_AUTO_TEST_CASE(every_grid_gives_the_same_bits) {
  const coordinate lattice{4, 4, 4, 4};
  for (const change& smear : all_changes()) {
    const auto make = [&](gauge_field& links) {
      set_hot(links, 3);
      smear(links);
    };
    std::vector<double> expected;
    on_one_rank(lattice, [&](gauge_field& links) {
      make(links);
      expected = observe(links);
    });
    const snapshot alone = snapshot_on(lattice, {1, 1, 1, 1}, make);
    for (const coordinate& grid : {coordinate{2, 1, 1, 1}, {1, 1, 2, 2}, {1, 4, 1, 1}}) {
      BOOST_TEST((snapshot_on(lattice, grid, make) == alone));
      run_on_threads(static_cast<int>(volume(grid)), [&](context ctx) {
        gauge_field links(geometry(ctx, lattice, grid));
        make(links);
        test::expect(observe(links) == expected, to_string(grid));
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(smearing_commutes_with_gauge_transformations) {
  for (const change& smear : all_changes())
    on_one_rank({4, 4, 2, 4}, [&](gauge_field& links) {
      set_warm(links);
      gauge_field transformed(links.geometry());
      std::copy(links.data().begin(), links.data().end(), transformed.data().begin());
      transform_randomly(transformed, 11);
      smear(links);
      smear(transformed);
      const auto a = observe(links), b = observe(transformed);
      for (std::size_t k = 0; k < a.size(); ++k) BOOST_TEST(std::abs(a[k] - b[k]) < 1e-12);
    });
}

BOOST_AUTO_TEST_CASE(smearing_keeps_links_in_the_group_and_smooths) {
  for (const change& smear : all_changes())
    on_one_rank({4, 4, 4, 4}, [&](gauge_field& links) {
      set_warm(links);
      const auto rough = plaquette(links);
      smear(links);
      BOOST_TEST(check_links(links) < 1e-13);
      BOOST_TEST(plaquette(links).spatial > rough.spatial);
    });
}

BOOST_AUTO_TEST_CASE(spatial_smearing_leaves_links_in_time) {
  on_one_rank({2, 4, 2, 4}, [&](gauge_field& links) {
    set_hot(links, 2);
    const colour_matrix before = links.link(3, {1, 1, 1, 1});
    smear_ape(links, 0.5, smeared_directions::spatial);
    smear_stout(links, 0.1, smeared_directions::spatial);
    BOOST_TEST((links.link(3, {1, 1, 1, 1}) == before));
  });
}

BOOST_AUTO_TEST_CASE(a_weak_wave_decays_with_its_lattice_momentum) {
  const double momentum = 2 * pi / 8, square = 4 * std::pow(std::sin(momentum / 2), 2);
  const auto remaining = [&](const change& smear) {
    double ratio = 0;
    on_one_rank({2, 2, 8, 2}, [&](gauge_field& links) {
      set_wave(links, 1e-5, momentum);
      smear(links);
      ratio = wave_amplitude(links) / 1e-5;
    });
    return ratio;
  };
  BOOST_TEST(remaining([](gauge_field& u) { smear_stout(u, 0.1); }) == 1 - 0.1 * square,
             boost::test_tools::tolerance(1e-8));
  // Two of the six staples see the wave shifted, four see the link itself.
  BOOST_TEST(remaining([](gauge_field& u) { smear_ape(u, 0.6); }) == 1 - 0.6 / 6 * square,
             boost::test_tools::tolerance(1e-8));
  // To first order in the field, for a momentum in one direction, the factor follows from the
  // definition: staples along z see the field shifted, and each level passes that on.
  BOOST_TEST(remaining([](gauge_field& u) {
               smear_hyp(u, {0.7, 0.5, 0.4});
             }) == 1 - 0.7 / 6 * (1 + 0.5 * (1 + 0.4)) * square,
             boost::test_tools::tolerance(1e-8));
  BOOST_TEST(remaining([](gauge_field& u) {
               for (int k = 0; k < 20; ++k) flow_step(u, 0.05);
             }) == std::exp(-square),
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(the_flow_is_of_third_order) {
  const auto energy = [](int steps) {
    double result = 0;
    on_one_rank({4, 4, 4, 4}, [&](gauge_field& links) {
      set_warm(links);
      for (int k = 0; k < steps; ++k) flow_step(links, 0.2 / steps);
      result = plaquette_energy(links);
    });
    return result;
  };
  const double exact = energy(32), coarse = std::abs(energy(2) - exact),
               fine = std::abs(energy(4) - exact);
  BOOST_TEST(std::log2(coarse / fine) > 2.7);
  BOOST_TEST(std::log2(coarse / fine) < 3.5);
}

BOOST_AUTO_TEST_CASE(constant_fluxes_have_known_charge_energy_and_rectangles) {
  on_one_rank({6, 4, 4, 6}, [&](gauge_field& links) {
    const int k = 1, l = -2;
    set_fluxes(links, k, l);
    const double a = 2 * pi * k / 24, b = 2 * pi * l / 24;
    const auto clover = clover_field_strength(links);
    BOOST_TEST(clover.topological_charge == 2 * k * l * std::sin(a) / a * std::sin(b) / b,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(clover.energy == 2 * (std::pow(std::sin(a), 2) + std::pow(std::sin(b), 2)),
               boost::test_tools::tolerance(1e-12));
    const double planes = 4 + (1 + 2 * std::cos(2 * a)) / 3 + (1 + 2 * std::cos(2 * b)) / 3;
    BOOST_TEST(rectangle(links) == planes / 6, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(plaquette_energy(links) == 4 * (2 - std::cos(a) - std::cos(b)),
               boost::test_tools::tolerance(1e-12));
  });
}

BOOST_AUTO_TEST_CASE(polyakov_loops_feel_the_centre) {
  for (const std::size_t mu : {0, 1, 2, 3})
    on_one_rank({2, 4, 6, 4}, [&](gauge_field& links) {
      set_hot(links, 9);
      const auto before = polyakov_loops(links);
      const geometry& block = links.geometry();
      const auto centre = std::polar(1.0, 2 * pi / 3);
      for (std::size_t k = 0; k < block.local_volume(); ++k)
        if (const coordinate x = block.local_site(k); x[mu] == 1)
          for (auto& entry : links.link(static_cast<int>(mu), x)) entry *= centre;
      links.exchange_ghosts();
      const auto after = polyakov_loops(links);
      for (std::size_t nu = 0; nu < 4; ++nu)
        BOOST_TEST(std::abs(after[nu] - (nu == mu ? centre : 1.0) * before[nu]) < 1e-14);
      set_cold(links);
      BOOST_TEST(std::abs(polyakov_loops(links)[mu] - 1.0) < 1e-15);
    });
}

BOOST_AUTO_TEST_CASE(functions_of_matrices) {
  on_one_rank({2, 2, 2, 2}, [&](gauge_field& links) {
    set_hot(links, 4);
    const colour_matrix& g = links.link(0, {0, 0, 0, 0});
    for (const double size : {1e-9, 0.3, 5.0, 400.0}) {
      colour_matrix x{};
      x[0] = {0, size};
      x[4] = {0, -0.3 * size};
      x[8] = {0, -0.7 * size};
      const auto rotated = su3::multiply_adjoint(su3::multiply(g, x), g);
      const auto expected = su3::multiply_adjoint(su3::multiply(g, diagonal(size, -0.3 * size)), g);
      BOOST_TEST(su3::norm(su3::add(su3::exponential(rotated), -1.0, expected)) <
                 1e-14 * std::max(1.0, size));
    }
    colour_matrix positive = su3::multiply_adjoint(links.link(1, {0, 0, 0, 0}), su3::unit());
    positive = su3::add(su3::scaled(2.0, su3::unit()), 0.5,
                        su3::add(positive, 1.0, su3::adjoint(positive)));
    const auto nearest = su3::nearest_su3(su3::multiply(g, positive));
    BOOST_REQUIRE(nearest);
    BOOST_TEST(su3::norm(su3::add(*nearest, -1.0, g)) < 1e-14);
    BOOST_TEST(!su3::nearest_su3(colour_matrix{}));
  });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_done_is_refused_on_every_rank) {
  run_on_threads(2, [](context ctx) {
    gauge_field links(geometry(ctx, {2, 2, 2, 4}, {1, 1, 1, 2}));
    set_cold(links);
    test::message_of<usage_error>([&] { smear_ape(links, 1.5); });
    test::message_of<usage_error>([&] { smear_stout(links, -0.1); });
    test::message_of<usage_error>([&] { smear_stout(links, std::nan("")); });
    test::message_of<usage_error>([&] { smear_hyp(links, {0.75, 0.6, 2}); });
    test::message_of<usage_error>([&] { flow_step(links, 0); });
    if (ctx.rank() == 1)
      for (int nu = 0; nu < 4; ++nu) links.link(nu, {0, 0, 0, 0}) = {};
    links.exchange_ghosts();
    test::message_of<numeric_error>([&] { smear_ape(links, 0); });
  });
}
