#include <boost/test/unit_test.hpp>
#include <onehop/adversary.hpp>

#include "physics/fermion_tools.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using tests::fermion;

namespace {

constexpr coordinate lattice{4, 2, 2, 4};

/// Does one even/odd solve; the solution is by global site.
void solve(const context& ctx, const coordinate& grid, const solve_options& options,
           fermion& solution) {
  gauge_field links(geometry(ctx, lattice, grid));
  set_hot(links, 3);
  links.exchange_ghosts();
  propagator_solver solver(links, options);
  const geometry& block = links.geometry();
  fermion x(block.local_volume() * 12);
  solver.solve(tests::noise(block, 12, 8), x);
  tests::place(block, x, solution);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_solve_has_the_same_bits_whatever_the_wire_does) {
  solve_options options;
  options.dirac = wilson{.mass = 0.3};
  options.tolerance = 1e-6;
  fermion expected(volume(lattice) * 12);
  solve(join("self"), {1, 1, 1, 1}, options, expected);
  const std::vector<coordinate> grids{{1, 1, 1, 2}, {2, 1, 1, 1}, {2, 1, 1, 2}};
  test::for_each_seed(60, [&](std::uint64_t seed) {
    const coordinate& grid = grids[seed % 3];
    solve_options here = options;
    here.overlap = std::array{overlap::none, overlap::fused, overlap::faces}[seed / 3 % 3];
    fermion solution(expected.size());
    run_with_adversary(static_cast<int>(volume(grid)), seed,
                       [&](context ctx) { solve(ctx, grid, here, solution); });
    test::expect(solution == expected, "the bits of the solution on grid " + to_string(grid));
  });
}
