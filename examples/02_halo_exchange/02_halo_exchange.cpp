// Solves the heat equation on a square, divided in stripes of rows: each step needs one row of
// either neighbour.
#include <onehop/collectives.hpp>
#include <onehop/halo_exchange.hpp>

#include <cstdio>
#include <utility>

constexpr int size = 48;
constexpr int steps = 200;
using square = onehop::halo_field<double>;

void relax(const square& heat, square& next, int y) {
  for (int x = 0; x < size; ++x) {
    const double around =
        heat((x + 1) % size, y) + heat((x + size - 1) % size, y) + heat(x, y - 1) + heat(x, y + 1);
    next(x, y) = 0.5 * heat(x, y) + 0.125 * around;
  }
}

int main() {
  const onehop::context job = onehop::join();
  const onehop::cartesian stripes(job, {size, size}, {.grid = {1, job.size()}});
  const onehop::ghost_widths rows{.sides = {{0, 0}, {1, 1}}};  // none in x, one on each side in y
  square heat(stripes, rows), next(stripes, rows);
  onehop::halo_exchange halo(heat);
  if (job.rank() == 0) heat(size / 2, 0) = 1000.0;

  const int last = stripes.local()[1] - 1;
  for (int n = 0; n < steps; ++n) {
    halo.start();
    for (int y = 1; y < last; ++y) relax(heat, next, y);  // needs no ghost
    halo.wait();
    relax(heat, next, 0);
    if (last > 0) relax(heat, next, last);
    std::swap(heat, next);
  }

  double sum = 0;
  for (int y = 0; y <= last; ++y)
    for (int x = 0; x < size; ++x) sum += heat(x, y) * heat(x, y);
  onehop::allreduce_sum(job, std::span(&sum, 1));
  if (job.rank() == 0) std::printf("sum of squares after %d steps: %.6f\n", steps, sum);
}
