// The kernels of a device, run on the host: what they compute in every storage and from every kind
// of link is what the reference operators say, whole and cut over ranks.

#include "dirac/device/diagonal.hpp"
#include "dirac/device/hopping.hpp"
#include "dirac/device/host_backend.hpp"
#include "reference/dirac_operator.hpp"

#include <onehop/collectives.hpp>

#include <boost/test/unit_test.hpp>

#include "physics/fermion_tools.hpp"

using namespace onehop;
using namespace onehop::tests;
using device::backend;
using device::stream;

namespace {

/// Even x extents, and even y ones where x is divided.
std::vector<division> device_divisions() {
  return {{{8, 4, 6, 8}, {1, 1, 1, 1}}, {{2, 6, 2, 4}, {1, 1, 1, 1}}, {{8, 4, 4, 4}, {2, 1, 1, 1}},
          {{4, 6, 4, 4}, {1, 2, 1, 1}}, {{4, 4, 6, 8}, {1, 1, 2, 2}}, {{4, 4, 2, 6}, {1, 1, 2, 3}}};
}

void write(stream& on, const device::hopping& hop, const fermion& canonical, int parity,
           device::field& to) {
  device::memory room(hop.where(), canonical.size() * sizeof(canonical[0]));
  on.copy_in(room.data(), canonical.data(), canonical.size() * sizeof(canonical[0]));
  hop.kernels().spread(
      on, {hop.map(), parity, to.view(), room.as<double>(), hop.count(), to.components()});
}

void read(stream& on, const device::hopping& hop, const device::field& from, int parity,
          fermion& canonical) {
  device::memory room(hop.where(), canonical.size() * sizeof(canonical[0]));
  on.copy_in(room.data(), canonical.data(), canonical.size() * sizeof(canonical[0]));
  hop.kernels().collect(
      on, {hop.map(), parity, from.view(), room.as<double>(), hop.count(), from.components()});
  on.copy_out(canonical.data(), room.data(), canonical.size() * sizeof(canonical[0]));
}

/// Which operator, with what at its sites and in what links.
struct way {
  operator_options options;
  int reals;
};

std::vector<way> ways() {
  std::vector<way> all;
  const auto add = [&all](dslash kind, double csw, double mu, std::initializer_list<int> reals) {
    for (const int r : reals) {
      operator_options options;
      options.dslash = kind;
      options.mass = 0.3;
      options.csw = csw;
      options.mu = mu;
      options.u0 = kind == dslash::asqtad ? 0.9 : 1.0;
      options.antiperiodic = r != 12;
      options.overlap = r == 8 ? overlap::none : overlap::fused;
      all.push_back({options, r});
    }
  };
  add(dslash::wilson, 0, 0, {18, 12, 8});
  add(dslash::wilson, 0, 0.4, {12});
  add(dslash::clover, 0.8, 0, {18, 12, 8});
  add(dslash::clover, 0.8, -0.4, {8, 18});
  add(dslash::staggered, 0, 0, {18, 12, 8});
  add(dslash::asqtad, 0, 0, {18});
  add(dslash::hisq, 0, 0, {18});
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

  machine(backend& where, const hop_links& links, const way& how, storage numbers)
      : hop(where, links,
            {hop_of(how.options.dslash), how.options.antiperiodic, how.options.overlap, how.reals},
            numbers),
        on(where.make_stream()),
        diagonal(where, *on, hop.layout(), links.thin(), how.options, numbers) {}

  std::array<device::field, 2> load(const fermion& psi) {
    std::array<device::field, 2> halves = {hop.make_field(), hop.make_field()};
    for (int parity = 0; parity < 2; ++parity) write(*on, hop, psi, parity, halves[parity]);
    return halves;
  }
};

/// M psi by the device's kernels: the diagonal as an addend.
fermion applied(machine& m, const way& how, const fermion& psi, bool dagger) {
  const bool staggered = is_staggered(how.options.dslash);
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

fermion judged(const hop_links& links, const operator_options& how, const fermion& psi,
               bool dagger) {
  fermion image(psi.size());
  if (is_improved(how.dslash)) {
    reference::improved_staggered(links.near(), links.far(), how.mass, how.antiperiodic)
        .apply(psi, image, dagger);
  } else if (is_staggered(how.dslash)) {
    reference::staggered(links.thin(), how.mass, how.antiperiodic).apply(psi, image, dagger);
  } else {
    reference::clover(links.thin(), how.mass, how.csw, how.antiperiodic, how.mu)
        .apply(psi, image, dagger);
  }
  return image;
}

/// D^-1 (D psi) - psi on even sites, where D is no number.
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

constexpr double tolerances[] = {1e-13, 2e-5, 3e-3};

}  // namespace

BOOST_AUTO_TEST_CASE(device_kernels_are_the_reference_operators) {
  const auto where = device::make_host_backend();
  for (const division& d : device_divisions()) {
    for (const way& how : ways()) {
      if (!fits(d, how.options.dslash)) continue;
      const bool dagger = how.reals != 18 || how.options.mu != 0;
      std::array<double, 3> worst_of{};
      worst(d, [&](const gauge_field& thin) {
        const hop_links links(thin, how.options.dslash, how.options.u0);
        const fermion psi = noise(thin.geometry(), components(how.options.dslash), 3);
        const fermion expected = judged(links, how.options, psi, dagger);
        std::array<double, 3> errors{};
        for (const storage numbers : {storage::real64, storage::real32, storage::fixed16}) {
          machine m(*where, links, how, numbers);
          const double error = largest_difference(applied(m, how, psi, dagger), expected);
          errors[static_cast<std::size_t>(numbers)] =
              std::max(error, error_of_inverse(m, psi, dagger));
        }
        allreduce_max(thin.geometry().context(), errors);
        if (thin.geometry().context().rank() == 0) worst_of = errors;
        return 0.0;
      });
      for (std::size_t numbers = 0; numbers < 3; ++numbers) {
        BOOST_TEST_CONTEXT(name(d) << ", operator " << static_cast<int>(how.options.dslash)
                                   << ", mu " << how.options.mu << ", " << how.reals
                                   << " reals, storage " << numbers) {
          BOOST_TEST(worst_of[numbers] < tolerances[numbers]);
          BOOST_TEST(worst_of[numbers] > 0);
        }
      }
    }
  }
}
