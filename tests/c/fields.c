/* Groups, collectives, halo exchanges and streams from C, and what a rank that fails does to
 * others. */

#include <limits.h>
#include <stdint.h>
#include <time.h>

#include "ranks.h"

static void use_collectives(void) {
  double values[3] = {1, rank, 0.5};
  GOOD(onehop_allreduce(job, values, 3, ONEHOP_DOUBLE, ONEHOP_SUM));
  EXPECT(values[0] == ranks && values[1] == ranks * (ranks - 1) / 2 && values[2] == 0.5 * ranks);
  int64_t largest = rank;
  GOOD(onehop_allreduce(job, &largest, 1, ONEHOP_INT64, ONEHOP_MAX));
  EXPECT(largest == ranks - 1);
  int all[16];
  GOOD(onehop_allgather(job, &rank, sizeof rank, all));
  for (int r = 0; r < ranks; ++r) EXPECT(all[r] == r);
  int told = rank == ranks - 1 ? 42 : 0;
  GOOD(onehop_broadcast(job, &told, sizeof told, ranks - 1));
  EXPECT(told == 42);
  REFUSED(onehop_broadcast(job, &told, sizeof told, ranks), ONEHOP_USAGE_ERROR, "give one from 0");
  REFUSED(onehop_allreduce(job, values, 1, ONEHOP_DOUBLE, ONEHOP_BIT_OR), ONEHOP_USAGE_ERROR,
          "bit");
  REFUSED(onehop_allreduce(job, values, ((size_t)1 << 61) + 1, ONEHOP_DOUBLE, ONEHOP_SUM),
          ONEHOP_USAGE_ERROR, "more bytes than memory can have");
  REFUSED(onehop_allgather(job, values, SIZE_MAX / 2, values), ONEHOP_USAGE_ERROR, "more bytes");
  REFUSED(onehop_allreduce(job, NULL, 1, ONEHOP_DOUBLE, ONEHOP_SUM), ONEHOP_USAGE_ERROR, "NULL");
  REFUSED(onehop_allreduce(job, values, 1, (onehop_type)77, ONEHOP_SUM), ONEHOP_USAGE_ERROR,
          "there is no type 77");
  REFUSED(onehop_barrier(NULL), ONEHOP_USAGE_ERROR, "onehop_barrier: the context is NULL");
  REFUSED(onehop_set_deadline(job, -1), ONEHOP_USAGE_ERROR, "between 0.001 and");
  GOOD(onehop_barrier(job));
}

static void use_groups(void) {
  onehop_context* group = NULL;
  int size = 0, number = 0;
  GOOD(onehop_split(job, rank % 2, -rank, &group));
  GOOD(onehop_size(group, &size));
  EXPECT(size == ranks / 2);
  for (int r = 0; r < size; ++r) {
    GOOD(onehop_rank_in_job(group, r, &number));
    EXPECT(number == rank % 2 + 2 * (size - 1 - r));
  }
  double sum = rank;
  GOOD(onehop_allreduce(group, &sum, 1, ONEHOP_DOUBLE, ONEHOP_SUM));
  EXPECT(sum == size * (rank % 2) + size * (size - 1));
  GOOD(onehop_context_free(group));
  GOOD(onehop_split(job, rank == 0 ? 5 : -1, 0, &group));
  EXPECT((group != NULL) == (rank == 0));
  GOOD(onehop_context_free(group));
}

static int site(const int* local, int x, int y) { return (x + 1) + (local[0] + 2) * (y + 1); }

/* Each site of two fields holds its coordinates, and so do the ghosts once they are exchanged. */
static void exchange_halos(void) {
  const int extents[] = {8, 6}, periodic[] = {1, 0};
  int local[2], origin[2], position[2], above = 0;
  size_t sites = 0, shape[2];
  onehop_grid *grid = NULL, *wide = NULL;
  onehop_field* fields[2] = {NULL, NULL};
  onehop_halo* halo = NULL;
  onehop_context* row = NULL;
  void *x_of = NULL, *y_of = NULL;
  GOOD(onehop_grid_make(job, 2, extents, NULL, periodic, &grid));
  GOOD(onehop_grid_block(grid, local, origin, position));
  GOOD(onehop_field_sites(grid, 1, &sites, shape));
  EXPECT(sites == shape[0] * shape[1] && shape[0] == (size_t)local[0] + 2);
  static int memory[100];
  REFUSED(onehop_field_make(grid, (size_t)1 << 58, 1, &fields[0]), ONEHOP_USAGE_ERROR,
          "more bytes");
  REFUSED(onehop_field_make_over(grid, (size_t)1 << 62, 1, memory, 0, &fields[1]),
          ONEHOP_USAGE_ERROR, "in memory of 0 bytes");
  GOOD(onehop_field_make(grid, sizeof(int), 1, &fields[0]));
  GOOD(onehop_field_make_over(grid, sizeof(int), 1, memory, sites * sizeof(int), &fields[1]));
  GOOD(onehop_field_data(fields[0], &x_of));
  GOOD(onehop_field_data(fields[1], &y_of));
  EXPECT(y_of == memory);
  GOOD(onehop_halo_make(fields, 2, 1, &halo));
  GOOD(onehop_grid_free(grid));
  for (int turn = 1; turn < 4; ++turn) {
    for (size_t s = 0; s < sites; ++s) ((int*)x_of)[s] = ((int*)y_of)[s] = -1;
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x) {
        ((int*)x_of)[site(local, x, y)] = turn * (origin[0] + x);
        ((int*)y_of)[site(local, x, y)] = turn * (origin[1] + y);
      }
    int over = 0;
    if (turn == 3) {
      GOOD(onehop_halo_start_partial(halo));
      REFUSED(onehop_halo_wait(halo), ONEHOP_USAGE_ERROR, "has not been made ready");
      for (int dimension = 0; dimension < 2; ++dimension)
        for (int side = 0; side < 2; ++side) GOOD(onehop_halo_ready(halo, dimension, side));
    } else {
      GOOD(onehop_halo_start(halo));
    }
    if (turn == 1) GOOD(onehop_halo_wait_for(halo, 0, 1));
    if (turn == 2)
      while (!over) GOOD(onehop_halo_test(halo, &over));
    if (!over) GOOD(onehop_halo_wait(halo));
    for (int y = -1; y <= local[1]; ++y)
      for (int x = -1; x <= local[0]; ++x) {
        const int past_end = origin[1] + y < 0 || origin[1] + y >= extents[1];
        const int right = past_end ? -1 : turn * ((origin[0] + x + extents[0]) % extents[0]);
        EXPECT(((int*)x_of)[site(local, x, y)] == right);
        if (!past_end) EXPECT(((int*)y_of)[site(local, x, y)] == turn * (origin[1] + y));
      }
  }
  REFUSED(onehop_halo_wait(halo), ONEHOP_USAGE_ERROR, "not under way");
  GOOD(onehop_halo_free(halo));
  GOOD(onehop_field_free(fields[0]));
  GOOD(onehop_field_free(fields[1]));

  const int columns[] = {1, ranks}, x_only[] = {0}, wrong[] = {2};
  GOOD(onehop_grid_make(job, 2, (const int[]){8, 8}, columns, NULL, &grid));
  GOOD(onehop_grid_neighbour(grid, 1, 1, &above));
  EXPECT(above == (rank + 1) % ranks);
  REFUSED(onehop_grid_neighbour(grid, 2, 1, &above), ONEHOP_USAGE_ERROR, "in dimension 2, sign 1");
  REFUSED(onehop_grid_make(job, 1 << 28, extents, NULL, NULL, &wide), ONEHOP_USAGE_ERROR,
          "268435456 entries: give at most 4");
  /* A lattice of one open rank may have ghosts of any width that numbers reach. */
  onehop_context* alone = NULL;
  GOOD(onehop_split(job, rank, 0, &alone));
  GOOD(onehop_grid_make(alone, 4, (const int[]){8, 8, 8, 8}, NULL, (const int[]){0, 0, 0, 0},
                        &wide));
  REFUSED(onehop_field_sites(wide, INT_MAX, &sites, shape), ONEHOP_USAGE_ERROR,
          "more sites than can be numbered");
  GOOD(onehop_grid_free(wide));
  GOOD(onehop_grid_make(alone, 1, (const int[]){8}, NULL, (const int[]){0}, &wide));
  GOOD(onehop_field_sites(wide, INT_MAX, &sites, shape));
  EXPECT(sites == 8 + 2 * (size_t)INT_MAX && shape[0] == sites);
  GOOD(onehop_grid_free(wide));
  GOOD(onehop_context_free(alone));
  GOOD(onehop_grid_along(grid, x_only, 1, &row));
  int size = 0;
  GOOD(onehop_size(row, &size));
  EXPECT(size == 1);
  GOOD(onehop_context_free(row));
  REFUSED(onehop_grid_along(grid, wrong, 1, &row), ONEHOP_USAGE_ERROR, "along dimension 2");
  REFUSED(onehop_field_make(grid, 4, 9, &fields[0]), ONEHOP_USAGE_ERROR, "ghosts of width 9");
  GOOD(onehop_grid_free(grid));
}

/* All but the last produce, the last takes. */
static void pass_items(void) {
  int producers[16], consumer = ranks - 1;
  for (int r = 0; r < ranks - 1; ++r) producers[r] = r;
  onehop_stream* items = NULL;
  GOOD(onehop_stream_make(job, producers, (size_t)ranks - 1, &consumer, 1, 64, 0, 0, &items));
  if (rank < consumer) {
    for (int number = 0; number < 50; ++number) {
      onehop_place place;
      int reserved = 1;
      if (number % 2 == 0) {
        GOOD(onehop_stream_reserve(items, 64, ONEHOP_ANY, &place));
      } else {
        do GOOD(onehop_stream_try_reserve(items, 64, consumer, &place, &reserved));
        while (!reserved);
      }
      EXPECT(place.size == 64 && place.consumer == consumer);
      memcpy(place.bytes, &number, sizeof number);
      GOOD(onehop_stream_publish(items, &place, sizeof number));
    }
    GOOD(onehop_stream_send(items, "last", 4, consumer));
    GOOD(onehop_stream_flush(items));
    GOOD(onehop_stream_close(items));
    onehop_item none;
    int ended = 0;
    REFUSED(onehop_stream_next(items, &none, &ended), ONEHOP_USAGE_ERROR, "does not consume");
  } else {
    int seen[16] = {0}, ended = 0, taken = 1;
    for (int turn = 0; !ended; ++turn) {
      onehop_item item;
      taken = 1;
      if (turn % 2 == 0)
        GOOD(onehop_stream_next(items, &item, &ended));
      else
        GOOD(onehop_stream_try_next(items, &item, &taken, &ended));
      if (ended || !taken) continue;
      const int number = seen[item.producer]++;
      EXPECT(item.size == 4);
      EXPECT(memcmp(item.bytes, number < 50 ? (const void*)&number : "last", 4) == 0);
      GOOD(onehop_stream_release(items, &item));
    }
    for (int r = 0; r < ranks - 1; ++r) EXPECT(seen[r] == 51);
  }
  GOOD(onehop_stream_free(items));
}

static void sleep_for(double seconds) {
  struct timespec begin, now;
  timespec_get(&begin, TIME_UTC);
  do timespec_get(&now, TIME_UTC);
  while (difftime(now.tv_sec, begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
         seconds);
}

static void fail_together(void) {
  if (rank == 0) {
    GOOD(onehop_set_deadline(job, 0.2));
    REFUSED(onehop_barrier(job), ONEHOP_TIMEOUT_ERROR, "barrier of 0 bytes: rank 1 has not come");
    GOOD(onehop_abandon(job, "no more\ndata"));
    return;
  }
  sleep_for(0.5);
  int code = ONEHOP_OK;
  while (code == ONEHOP_OK) code = onehop_barrier(job);
  EXPECT(code == ONEHOP_PEER_ERROR);
  EXPECT(strcmp(onehop_error_message(), "rank 0 failed: no more data") == 0);
}

int main(void) {
  join_job();
  use_collectives();
  use_groups();
  exchange_halos();
  pass_items();
  GOOD(onehop_barrier(job));
  fail_together();
  onehop_context_free(job);
  return 0;
}
