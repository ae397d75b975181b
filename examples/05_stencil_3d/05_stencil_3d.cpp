// Solves the heat equation in a periodic box, divided along x, y and z: six faces a step, in one
// exchange.
#include <onehop/collectives.hpp>
#include <onehop/halo_exchange.hpp>

#include <array>
#include <cstdio>
#include <utility>

using box = onehop::halo_field<double>;
constexpr int steps = 50;

/// Computes the new values of a row of the block, from `first` up to but not including `end`.
void relax(const box& heat, box& next, int first, int end, int y, int z) {
  for (int x = first; x < end; ++x) {
    const double around = heat(x + 1, y, z) + heat(x - 1, y, z) + heat(x, y + 1, z) +
                          heat(x, y - 1, z) + heat(x, y, z + 1) + heat(x, y, z - 1);
    next(x, y, z) = 0.4 * heat(x, y, z) + 0.1 * around;
  }
}

int main() {
  const onehop::context job = onehop::join();
  const onehop::cartesian ranks(job, {24, 16, 32});
  box heat(ranks, {.width = 1}), next(ranks, {.width = 1});
  onehop::halo_exchange halo(heat);
  const auto [nx, ny, nz, unused] = ranks.local();
  const auto [ox, oy, oz, zero] = ranks.origin();
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        heat(x, y, z) = ((x + ox) * 7 + (y + oy) * 5 + (z + oz) * 3) % 11 == 0 ? 1.0 : 0.0;

  for (int n = 0; n < steps; ++n) {
    halo.start();
    for (int z = 1; z < nz - 1; ++z)  // the interior, which needs no ghost
      for (int y = 1; y < ny - 1; ++y) relax(heat, next, 1, nx - 1, y, z);
    halo.wait();
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y) {
        const bool inside = y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
        relax(heat, next, 0, inside ? 1 : nx, y, z);
        if (inside) relax(heat, next, nx - 1, nx, y, z);
      }
    std::swap(heat, next);
  }

  std::array<double, 2> sums{};
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        sums[0] += heat(x, y, z);
        sums[1] += heat(x, y, z) * heat(x, y, z);
      }
  onehop::allreduce_sum(job, sums);
  if (job.rank() == 0)
    std::printf("heat %.6f, sum of squares %.6f after %d steps\n", sums[0], sums[1], steps);
}
