// The kernels of a device, run on the host or on a device, must compute in every precision and from
// every form of link what the reference operators say, whole and cut over ranks.

#include "dirac/device/diagonal.hpp"
#include "dirac/device/hopping.hpp"
#include "reference/dirac_operator.hpp"

#include <onehop/collectives.hpp>

#include <boost/test/unit_test.hpp>

#include "physics/device_tools.hpp"
#include "physics/fermion_tools.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::tests;
using device::backend;
using device::stream;
using test::expect;

namespace {

/// Returns divisions with even x extents, and even y extents where x is divided.
std::vector<division> device_divisions() {
  return {{{8, 4, 6, 8}, {1, 1, 1, 1}}, {{2, 6, 2, 4}, {1, 1, 1, 1}}, {{8, 4, 4, 4}, {2, 1, 1, 1}},
          {{4, 6, 4, 4}, {1, 2, 1, 1}}, {{4, 4, 6, 8}, {1, 1, 2, 2}}, {{4, 4, 2, 6}, {1, 1, 2, 3}}};
}

void write(stream& on, const device::hopping& hop, const fermion& canonical, int parity,
           device::field& to, int column = 0) {
  device::memory workspace(hop.where(), canonical.size() * sizeof(canonical[0]));
  on.copy_in(workspace.data(), canonical.data(), canonical.size() * sizeof(canonical[0]));
  hop.kernels().spread(on, {hop.map(), parity, to.view(column), workspace.as<double>(), hop.count(),
                            to.components()});
}

void read(stream& on, const device::hopping& hop, const device::field& from, int parity,
          fermion& canonical, int column = 0) {
  device::memory workspace(hop.where(), canonical.size() * sizeof(canonical[0]));
  on.copy_in(workspace.data(), canonical.data(), canonical.size() * sizeof(canonical[0]));
  hop.kernels().collect(on, {hop.map(), parity, from.view(column), workspace.as<double>(),
                             hop.count(), from.components()});
  on.copy_out(canonical.data(), workspace.data(), canonical.size() * sizeof(canonical[0]));
  on.synchronise();
}

/// A way says which operator, with what at its sites and in which links.
struct way {
  solve_options options;
  int reals;

  dslash kind() const { return kind_of(options.dirac); }
  bool antiperiodic() const { return options.boundary == boundary::antiperiodic; }
};

std::vector<way> ways() {
  std::vector<way> all;
  const auto add = [&all](const dirac_operator& dirac, std::initializer_list<int> reals) {
    for (const int r : reals) {
      solve_options options;
      options.dirac = dirac;
      options.boundary = r == 12 ? boundary::periodic : boundary::antiperiodic;
      options.overlap = r == 8 ? overlap::none : overlap::fused;
      all.push_back({options, r});
    }
  };
  add(wilson{.mass = 0.3}, {18, 12, 8});
  add(wilson{.mass = 0.3, .mu = 0.4}, {12});
  add(clover{.mass = 0.3, .csw = 0.8}, {18, 12, 8});
  add(clover{.mass = 0.3, .csw = 0.8, .mu = -0.4}, {8, 18});
  add(staggered{.mass = 0.3}, {18, 12, 8});
  add(asqtad{.mass = 0.3, .u0 = 0.9}, {18});
  add(hisq{.mass = 0.3}, {18});
  return all;
}

bool fits(const division& d, dslash kind) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (d.grid[mu] > 1 && d.lattice[mu] / d.grid[mu] < reach(kind)) return false;
  }
  return true;
}

struct machine {
  device::hopping hop;
  std::unique_ptr<stream> on;
  device::diagonal diagonal;

  machine(backend& where, const hop_links& links, const way& how, field_precision precision,
          int rhs = 1)
      : hop(where, links,
            {hop_of(how.kind()), how.antiperiodic(), how.options.overlap, how.reals, rhs},
            precision),
        on(where.make_stream()),
        diagonal(where, *on, hop.layout(), links.thin(), how.options.dirac, 1, precision) {}

  std::array<device::field, 2> load(const fermion& psi) {
    std::array<device::field, 2> halves = {hop.make_field(), hop.make_field()};
    for (int parity = 0; parity < 2; ++parity) write(*on, hop, psi, parity, halves[parity]);
    return halves;
  }
};

/// Returns M psi by the device's kernels, with the diagonal as an addend.
fermion applied(machine& m, const way& how, const fermion& psi, bool dagger) {
  const bool staggered = is_staggered(how.kind());
  const double sign = dagger && staggered ? -1.0 : 1.0;
  fermion image(psi.size());
  const auto in = m.load(psi);
  for (int parity = 0; parity < 2; ++parity) {
    device::field out = m.hop.make_field();
    m.hop.apply(*m.on, out, in[1 - parity], parity,
                {.hop_scale = sign * (staggered ? 0.5 : -0.5),
                 .addend = &in[parity],
                 .addend_factor = m.diagonal.factor(parity, dagger)},
                dagger);
    read(*m.on, m.hop, out, parity, image);
  }
  return image;
}

fermion reference_result(const hop_links& links, const way& how, const fermion& psi, bool dagger) {
  fermion image(psi.size());
  const dirac_operator& dirac = how.options.dirac;
  const double mass = mass_of(dirac);
  if (is_improved(how.kind())) {
    reference::improved_staggered(links.near(), links.far(), mass, how.antiperiodic())
        .apply(psi, image, dagger);
  } else if (is_staggered(how.kind())) {
    reference::staggered(links.thin(), mass, how.antiperiodic()).apply(psi, image, dagger);
  } else {
    reference::clover(links.thin(), mass, csw_of(dirac), how.antiperiodic(), mu_of(dirac))
        .apply(psi, image, dagger);
  }
  return image;
}

/// Returns D^-1 (D psi) - psi on even sites, where D is more than a number.
double error_of_inverse(machine& m, const fermion& psi, bool dagger) {
  constexpr int even = site_diagonal::inverted;
  if (m.diagonal.factor(even, dagger).is_number()) return 0;
  const auto in = m.load(psi);
  device::field out = m.hop.make_field();
  m.hop.multiply(*m.on, out, in[even], m.diagonal.factor(even, dagger));
  m.hop.multiply(*m.on, out, out, m.diagonal.inverse(dagger));
  fermion back = psi;
  read(*m.on, m.hop, out, even, back);
  return largest_difference(back, psi);
}

/// A batch is what a kernel made of several right-hand sides.
struct batch {
  std::vector<fermion> images;
  std::vector<double> sums;
};

/// Returns odd sites of D psi + c H psi with its sums, for noise of these seeds; for a right-hand
/// side that is switched off, what was there before, which is noise too.
batch hopped(backend& where, const hop_links& links, const way& how, field_precision precision,
             int most, const std::vector<int>& seeds, const std::vector<std::int32_t>& switches) {
  machine m(where, links, how, precision, most);
  const auto columns = static_cast<int>(seeds.size());
  std::array<device::field, 2> in = {m.hop.make_field(), m.hop.make_field()};
  device::field out = m.hop.make_field();
  for (device::field* field : {&in[0], &in[1], &out}) field->reshape(columns);
  const int n = components(how.kind());
  for (int k = 0; k < columns; ++k) {
    const fermion psi = noise(links.geometry(), n, static_cast<std::uint64_t>(seeds[k]));
    for (int parity = 0; parity < 2; ++parity) write(*m.on, m.hop, psi, parity, in[parity], k);
    write(*m.on, m.hop, psi, 1, out, k);
  }
  std::vector<device::two_sums> sums(seeds.size());
  const device::memory sums_there(where, sums.size() * sizeof(sums[0]));
  const device::memory switches_there(where, switches.size() * sizeof(switches[0]));
  device::hopping::terms what{.hop_scale = -0.5,
                              .addend = &in[1],
                              .addend_factor = m.diagonal.factor(1, false),
                              .sums = {sums_there.as<device::two_sums>(), sizeof(sums[0])}};
  if (!switches.empty()) {
    m.on->copy_in(switches_there.data(), switches.data(), switches.size() * sizeof(switches[0]));
    what.active = {switches_there.as<std::int32_t>(), sizeof(switches[0])};
  }
  m.hop.apply(*m.on, out, in[0], 1, what);
  m.on->copy_out(sums.data(), sums_there.data(), sums.size() * sizeof(sums[0]));
  m.on->synchronise();
  batch result;
  for (int k = 0; k < columns; ++k) {
    fermion image(links.geometry().local_volume() * n);
    read(*m.on, m.hop, out, 1, image, k);
    result.images.push_back(image);
    result.sums.insert(result.sums.end(), {sums[k].first, sums[k].second});
  }
  return result;
}

constexpr double tolerances[] = {1e-13, 2e-5, 3e-3};

}  // namespace

BOOST_AUTO_TEST_CASE(device_kernels_are_the_reference_operators) {
  const auto where = backend_under_test();
  for (const division& d : device_divisions()) {
    for (const way& how : ways()) {
      if (!fits(d, how.kind())) continue;
      const bool dagger = how.reals != 18 || mu_of(how.options.dirac) != 0;
      std::array<double, 3> worst_of{};
      worst(d, [&](const gauge_field& thin) {
        const hop_links links(thin, how.options.dirac);
        const fermion psi = noise(thin.geometry(), components(how.kind()), 3);
        const fermion expected = reference_result(links, how, psi, dagger);
        std::array<double, 3> errors{};
        for (const field_precision precision :
             {field_precision::double_, field_precision::single, field_precision::half}) {
          machine m(*where, links, how, precision);
          const double error = largest_difference(applied(m, how, psi, dagger), expected);
          errors[static_cast<std::size_t>(precision)] =
              std::max(error, error_of_inverse(m, psi, dagger));
        }
        allreduce_max(thin.geometry().context(), errors);
        if (thin.geometry().context().rank() == 0) worst_of = errors;
        return 0.0;
      });
      for (std::size_t precision = 0; precision < 3; ++precision) {
        BOOST_TEST_CONTEXT(name(d) << ", operator " << static_cast<int>(how.kind()) << ", mu "
                                   << mu_of(how.options.dirac) << ", " << how.reals
                                   << " reals, storage " << precision) {
          BOOST_TEST(worst_of[precision] < tolerances[precision]);
          BOOST_TEST(worst_of[precision] > 0);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_column_of_several_has_the_bits_that_it_has_alone) {
  const auto where = backend_under_test();
  for (const division& d : {division{{4, 6, 4, 4}, {1, 1, 1, 1}}, {{4, 4, 6, 8}, {1, 1, 2, 2}}}) {
    for (const way& how : ways()) {
      if (!fits(d, how.kind())) continue;
      on_division(d, [&](const gauge_field& thin) {
        const hop_links links(thin, how.options.dirac);
        for (const field_precision precision :
             {field_precision::double_, field_precision::single, field_precision::half}) {
          const std::vector<int> seeds = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
          const batch all = hopped(*where, links, how, precision, 12, seeds, {});
          for (const int k : {0, 1, 7, 11}) {
            const batch alone = hopped(*where, links, how, precision, 1, {seeds[k]}, {});
            expect(all.images[k] == alone.images[0], "image of column " + std::to_string(k));
            expect(all.sums[2 * k] == alone.sums[0] && all.sums[2 * k + 1] == alone.sums[1],
                   "sums of column " + std::to_string(k));
          }
        }
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_that_are_switched_off_are_left_as_they_are) {
  const auto where = backend_under_test();
  for (const division& d : {division{{4, 6, 4, 4}, {1, 1, 1, 1}}, {{4, 4, 6, 8}, {1, 1, 2, 2}}}) {
    for (const way& how : ways()) {
      if (how.reals != 18 || !fits(d, how.kind())) continue;
      on_division(d, [&](const gauge_field& thin) {
        const hop_links links(thin, how.options.dirac);
        const int n = components(how.kind());
        const batch all = hopped(*where, links, how, field_precision::double_, 5, {1, 2, 3}, {});
        const batch some =
            hopped(*where, links, how, field_precision::double_, 5, {1, 2, 3}, {1, 0, 1});
        for (const int k : {0, 2}) {
          expect(some.images[k] == all.images[k], "a column that is worked on");
          expect(some.sums[2 * k] == all.sums[2 * k], "its sum");
        }
        fermion before = noise(thin.geometry(), n, 2);
        for (std::size_t site = 0; site < thin.geometry().local_volume(); ++site) {
          if (thin.geometry().parity(thin.geometry().local_site(site)) == 1) continue;
          std::fill_n(before.begin() + static_cast<std::ptrdiff_t>(site * n), n, 0.0);
        }
        // Spinors have been turned to the kernels' basis and back.
        expect(largest_difference(some.images[1], before) < 1e-14, "a column that is switched off");
        expect(some.sums[2] == 0, "its sum");
      });
    }
  }
}
