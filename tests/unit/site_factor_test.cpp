// The factors at the sites are tested with kernels of every instruction set, precision and lane
// count.

#include "dirac/hopping.hpp"
#include "dirac/site_diagonal.hpp"

#include <onehop/propagator.hpp>

#include <boost/test/unit_test.hpp>

#include "support/difference.hpp"

using namespace onehop;
using tests::largest_difference;

namespace {

using field = std::vector<std::complex<double>>;

const double tolerances[] = {1e-13, 2e-5, 5e-3};  // tolerances by precision

/// Calls `body` with every kernel of this processor with this precision.
template <class Body>
void for_each_kernel(field_precision format, const Body& body) {
  for (const instruction_set& set : built_instruction_sets()) {
    if (!set.supported()) continue;
    for (int lanes = 1; lanes <= set.widest_lanes(format); lanes *= 2) {
      if (const kernel_table* found = set.kernels(format, lanes)) body(*found);
    }
  }
}

/// Returns a hop with all terms that are not numbers, on even sites.
field hopped(const gauge_field& links, const dirac_operator& dirac, const kernel_table& kernels,
             const field& psi, bool dagger) {
  const lane_layout layout(links.geometry(), kernels.lanes);
  thread_team team(1);
  hopping hop(layout, links, {.overlap = overlap::none}, kernels, team);
  const site_diagonal diagonal(links, dirac, layout, kernels.kind, team);
  lane_field in(layout, 1, 12, kernels.kind), same(layout, 0, 12, kernels.kind),
      out(layout, 0, 12, kernels.kind);
  spread(layout, psi, in);
  spread(layout, psi, same);
  hop.apply(out, in,
            {.hop_scale = 0.7,
             .addend = &same,
             .addend_factor = diagonal.factor(0, dagger),
             .result_factor = diagonal.inverse(dagger)},
            dagger);
  field result(psi.size());
  collect(layout, out, result);
  return result;
}

/// Returns D^-1 D psi on even sites.
field there_and_back(const gauge_field& links, const dirac_operator& dirac,
                     const kernel_table& kernels, const field& psi, bool dagger) {
  const lane_layout layout(links.geometry(), kernels.lanes);
  thread_team team(2);
  const site_diagonal diagonal(links, dirac, layout, kernels.kind, team);
  lane_field in(layout, 0, 12, kernels.kind), out(layout, 0, 12, kernels.kind);
  spread(layout, psi, in);
  for (const site_factor& factor : {diagonal.factor(0, dagger), diagonal.inverse(dagger)}) {
    kernels.multiply_sites({in.data(), out.data(), factor, kernels.kind == field_precision::half, 1,
                            0, layout.vectors(0)});
    in.copy_from(out, team);
  }
  field result(psi.size());
  collect(layout, out, result);
  return result;
}

/// Calls `body` with links and a spinor field that vary from site to site, the field being zero on
/// odd sites if wanted.
template <class Body>
void with_fields(bool even_only, const Body& body) {
  run_on_threads(1, [&](context ctx) {
    const geometry g(ctx, {8, 4, 8, 8});
    gauge_field links(g);
    set_hot(links, 2);
    links.exchange_ghosts();
    field psi(g.volume() * 12);
    random_source(g, 1, 12, psi);
    for (std::size_t k = 0; even_only && k < psi.size(); ++k) {
      const coordinate x = g.local_site(k / 12);
      if ((x[0] + x[1] + x[2] + x[3]) % 2 == 1) psi[k] = 0;
    }
    body(links, psi);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_lane_count_gives_the_same_bits) {
  with_fields(false, [](const gauge_field& links, const field& psi) {
    const kernel_table& plainest = *choose_instruction_set().kernels(field_precision::double_, 1);
    for (const auto& [csw, mu] : {std::pair{0.8, 0.0}, {0.0, 0.3}, {0.8, 0.3}}) {
      const dirac_operator dirac = clover{.mass = 0.1, .csw = csw, .mu = mu};
      for (const bool dagger : {false, true}) {
        const field exact = hopped(links, dirac, plainest, psi, dagger);
        for (const field_precision format :
             {field_precision::double_, field_precision::single, field_precision::half}) {
          field expected;
          for_each_kernel(format, [&](const kernel_table& kernels) {
            const field got = hopped(links, dirac, kernels, psi, dagger);
            BOOST_TEST_CONTEXT(kernels.isa << " x" << kernels.lanes << ", csw " << csw << " mu "
                                           << mu << ", storage " << static_cast<int>(format)) {
              // Instruction sets may fuse multiplication and addition or not.
              if (kernels.lanes == 1) expected = got;
              BOOST_TEST(largest_difference(exact, got) < tolerances[static_cast<int>(format)]);
              BOOST_TEST((got == expected));
            }
          });
        }
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(inverse_undoes_the_diagonal) {
  with_fields(true, [](const gauge_field& links, const field& psi) {
    for (const auto& [csw, mu] : {std::pair{0.8, 0.0}, {0.0, 0.3}, {0.8, 0.3}}) {
      for (const field_precision format :
           {field_precision::double_, field_precision::single, field_precision::half}) {
        for_each_kernel(format, [&](const kernel_table& kernels) {
          for (const bool dagger : {false, true}) {
            const field got = there_and_back(links, clover{.mass = 0.1, .csw = csw, .mu = mu},
                                             kernels, psi, dagger);
            BOOST_TEST_CONTEXT(kernels.isa << " x" << kernels.lanes << ", csw " << csw << " mu "
                                           << mu << ", storage " << static_cast<int>(format))
            BOOST_TEST(largest_difference(got, psi) < tolerances[static_cast<int>(format)]);
          }
        });
      }
    }
  });
}
