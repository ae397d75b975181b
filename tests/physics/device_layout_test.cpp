// The kernels of a device, run on the host: what they compute in every storage and from every kind
// of link is what the reference operators say, whole and cut over ranks.

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

/// M psi by the device's kernels: the diagonal as an addend.
fermion applied(backend& where, const gauge_field& links, const hop_settings& how, storage numbers,
                const fermion& psi, double mass, bool dagger) {
  device::hopping hop(where, links, how, numbers);
  const auto on = where.make_stream();
  const bool wilson = how.kind == dslash::wilson;
  const double sign = dagger && !wilson ? -1.0 : 1.0;
  fermion image(psi.size());
  std::array<device::field, 2> in = {hop.make_field(), hop.make_field()};
  for (int parity = 0; parity < 2; ++parity) write(*on, hop, psi, parity, in[parity]);
  for (int parity = 0; parity < 2; ++parity) {
    device::field out = hop.make_field();
    const double diagonal = wilson ? 4 + mass : mass;
    hop.apply(*on, out, in[1 - parity], parity,
              {sign * (wilson ? -0.5 : 0.5), diagonal, &in[parity]}, dagger);
    read(*on, hop, out, parity, image);
  }
  return image;
}

fermion judged(const gauge_field& links, const hop_settings& how, const fermion& psi, double mass,
               bool dagger) {
  fermion image(psi.size());
  if (how.kind == dslash::wilson) {
    reference::wilson(links, mass, how.antiperiodic).apply(psi, image, dagger);
  } else {
    reference::staggered(links, mass, how.antiperiodic).apply(psi, image, dagger);
  }
  return image;
}

}  // namespace

BOOST_AUTO_TEST_CASE(device_kernels_are_the_reference_operators) {
  const double tolerances[] = {1e-13, 2e-5, 3e-3};
  const auto where = device::make_host_backend();
  for (const division& d : device_divisions()) {
    for (const dslash kind : {dslash::wilson, dslash::staggered}) {
      for (const storage numbers : {storage::real64, storage::real32, storage::fixed16}) {
        for (const int reals : {18, 12, 8}) {
          double worst = 0;
          on_division(d, [&](const gauge_field& links) {
            const fermion psi = noise(links.geometry(), components(kind), 3);
            hop_settings how{kind, true, overlap::fused, reals};
            how.antiperiodic = reals != 12;
            how.overlap = reals == 8 ? overlap::none : overlap::fused;
            const bool dagger = reals != 18;
            const fermion got = applied(*where, links, how, numbers, psi, 0.3, dagger);
            const double error = largest_difference(got, judged(links, how, psi, 0.3, dagger));
            std::array<double, 1> all = {error};
            allreduce_max(links.geometry().context(), all);
            if (links.geometry().context().rank() == 0) worst = all[0];
          });
          BOOST_TEST(worst < tolerances[static_cast<int>(numbers)],
                     name(d) << ", " << reals << " reals, storage " << static_cast<int>(numbers)
                             << ": " << worst);
          BOOST_TEST(worst > 0);
        }
      }
    }
  }
}
