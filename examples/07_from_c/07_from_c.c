/* The heat of step 02 in C, on any grid of ranks. */
#include <onehop.h>
#include <stdio.h>
#include <stdlib.h>

enum { size = 48, steps = 200 };

static onehop_context* job;

/* Ends all ranks with one line that says why. */
static void check(int code) {
  if (code == ONEHOP_OK) return;
  fprintf(stderr, "%s\n", onehop_error_message());
  if (job != NULL) onehop_abandon(job, onehop_error_message());
  exit(2);
}

int main(void) {
  const int extents[] = {size, size};
  int local[2], origin[2], rank;
  onehop_grid* grid;
  onehop_field* fields[2];
  onehop_halo* halos[2];
  void* sites[2];
  check(onehop_join(NULL, &job));
  check(onehop_rank(job, &rank));
  check(onehop_grid_make(job, 2, extents, NULL, NULL, &grid));
  check(onehop_grid_block(grid, local, origin, NULL));
  for (int f = 0; f < 2; ++f) {
    check(onehop_field_make(grid, sizeof(double), 1, &fields[f]));
    check(onehop_field_data(fields[f], &sites[f]));
    check(onehop_halo_make(&fields[f], 1, 0, &halos[f]));
  }

  /* Ghosts lie around the block, so the first site of the block is at row + 1. */
  const int row = local[0] + 2, first = row + 1;
  const int hot_x = size / 2 - origin[0], hot_y = 0 - origin[1];
  if (hot_x >= 0 && hot_x < local[0] && hot_y == 0) ((double*)sites[0])[first + hot_x] = 1000.0;

  for (int n = 0; n < steps; ++n) {
    const double* heat = sites[n % 2];
    double* next = sites[(n + 1) % 2];
    check(onehop_halo_start(halos[n % 2]));
    check(onehop_halo_wait(halos[n % 2]));
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x) {
        const int i = first + x + row * y;
        const double around = heat[i + 1] + heat[i - 1] + heat[i - row] + heat[i + row];
        next[i] = 0.5 * heat[i] + 0.125 * around;
      }
  }

  double sum = 0;
  const double* heat = sites[steps % 2];
  for (int y = 0; y < local[1]; ++y)
    for (int x = 0; x < local[0]; ++x) sum += heat[first + x + row * y] * heat[first + x + row * y];
  check(onehop_allreduce(job, &sum, 1, ONEHOP_DOUBLE, ONEHOP_SUM));
  if (rank == 0) printf("sum of squares after %d steps: %.6f\n", steps, sum);

  for (int f = 0; f < 2; ++f) {
    check(onehop_halo_free(halos[f]));
    check(onehop_field_free(fields[f]));
  }
  check(onehop_grid_free(grid));
  check(onehop_context_free(job));
  return 0;
}
