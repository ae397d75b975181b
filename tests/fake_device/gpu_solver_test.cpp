// Solves run here on devices that are not real: kernels run as late as streams allow, in memory
// that nothing else may touch, and faces go from device to device. The bits must be those of the
// kernels on the host.

#include <boost/test/unit_test.hpp>
#include <onehop/gauge_field.hpp>
#include <onehop/source.hpp>

#include "fake_device/device_backend.hpp"
#include "host_backend/host_backend.hpp"
#include "solver/device_system.hpp"
#include "support/exchange.hpp"

using namespace onehop;
using test::expect;

namespace {

const coordinate lattice{4, 4, 4, 4};

struct way {
  dslash kind;
  solver_kind solver;
  precision numbers;
  onehop::overlap overlap;
};

solve_options options_for(const way& w, int rhs) {
  solve_options options;
  options.dirac = operator_of(w.kind, 0.5);
  if (auto* of = std::get_if<wilson>(&options.dirac)) of->mu = 0.2;
  if (auto* of = std::get_if<clover>(&options.dirac)) *of = {.mass = 0.5, .csw = 0, .mu = 0.2};
  options.solver = w.solver;
  options.precision = w.numbers;
  options.overlap = w.overlap;
  options.tolerance = 1e-6;
  options.rhs = rhs;
  return options;
}

std::vector<std::complex<double>> solved(std::unique_ptr<device::backend> where,
                                         const gauge_field& links, const solve_options& options) {
  device_system solver(std::move(where), hop_links(links, options.dirac), options);
  const std::size_t size = links.geometry().local_volume() * components(kind_of(options.dirac));
  std::vector<std::complex<double>> b(options.rhs * size), x(b.size());
  for (int k = 0; k < options.rhs; ++k) {
    random_source(links.geometry(), static_cast<std::uint64_t>(k),
                  components(kind_of(options.dirac)), std::span(b).subspan(k * size, size));
  }
  for (const solve_report& report : solver.solve(b, x, 0)) expect(report.converged, "a solve");
  // The second solve has fewer right-hand sides than the first.
  if (options.rhs > 1) solver.solve(std::span(b).first(size), std::span(x).first(size), 0);
  return x;
}

void solve_on_devices_as_on_the_host(const context& ctx, const coordinate& grid) {
  gauge_field links(geometry(ctx, lattice, grid));
  set_hot(links, 5);
  links.exchange_ghosts();
  for (const way& w :
       {way{dslash::wilson, solver_kind::cg, precision::mixed, overlap::fused},
        way{dslash::staggered, solver_kind::cg, precision::double_, overlap::none},
        way{dslash::clover, solver_kind::bicgstab, precision::single, overlap::fused}}) {
    for (const int rhs : {1, 3}) {
      const solve_options options = options_for(w, rhs);
      const auto expected = solved(device::make_host_backend(), links, options);
      const auto got = solved(std::make_unique<test::device_backend>(), links, options);
      expect(got == expected, "solution with operator " + std::to_string(static_cast<int>(w.kind)));
    }
  }
}

coordinate grid_of(int ranks) {
  return ranks == 4 ? coordinate{1, 1, 2, 2} : coordinate{1, 1, 1, ranks};
}

}  // namespace

BOOST_AUTO_TEST_CASE(devices_solve_as_the_host_does_whatever_is_done_late) {
  for (const test::job& where :
       {test::job{test::job::threads, 1}, {test::job::threads, 4}, {test::job::processes, 2}}) {
    where.run(
        [](const context& ctx) { solve_on_devices_as_on_the_host(ctx, grid_of(ctx.size())); });
  }
}

BOOST_AUTO_TEST_CASE(faces_go_from_device_to_device) {
  const auto describe = [](const context& ctx) {
    gauge_field links(geometry(ctx, lattice, {1, 1, 1, 2}));
    links.exchange_ghosts();
    test::device_backend where;
    device::hopping hop(where, hop_links(links), {}, field_precision::single);
    device::field in = hop.make_field(), out = hop.make_field();
    const auto on = where.make_stream();
    hop.apply(*on, out, in, 1, {});
    on->synchronise();
    return hop.describe_faces();
  };
  const auto expect_words = [&](const test::job& where, const std::string& words) {
    where.run([&](const context& ctx) {
      const std::string said = describe(ctx);
      expect(test::contains(said, words), said);
    });
  };
  expect_words({test::job::processes, 2}, "cuda_ipc: written by");
  expect_words({test::job::threads, 2}, "belongs to the same process");
  setenv("ONEHOP_DEVICE_CHANNEL", "staged", 1);
  expect_words({test::job::processes, 2}, "staged in pinned memory of the host");
  unsetenv("ONEHOP_DEVICE_CHANNEL");
}
