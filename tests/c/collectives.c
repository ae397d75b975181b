/* Reductions, blocks between ranks and persistent collectives from C. */

#include <limits.h>
#include <stdint.h>

#include "ranks.h"

enum { most_ranks = 8, count = 3 };

static void reduce_and_scan(void) {
  int64_t values[count], below = 0, total = 0;
  for (int r = 0; r < ranks; ++r) total += 1 << r;
  for (int r = 0; r < rank; ++r) below += 1 << r;
  const int root = ranks - 1;
  for (int i = 0; i < count; ++i) values[i] = (int64_t)1 << rank;
  GOOD(onehop_reduce(job, values, count, ONEHOP_INT64, ONEHOP_SUM, root));
  if (rank == root) EXPECT(values[0] == total && values[2] == total);
  values[0] = (int64_t)1 << rank;
  GOOD(onehop_scan(job, values, 1, ONEHOP_INT64, ONEHOP_BIT_OR));
  EXPECT(values[0] == below + ((int64_t)1 << rank));
  values[0] = (int64_t)1 << rank;
  GOOD(onehop_exclusive_scan(job, values, 1, ONEHOP_INT64, ONEHOP_SUM));
  EXPECT(values[0] == (rank == 0 ? 1 : below));
  double all[most_ranks][count], mine[count];
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < count; ++i) all[r][i] = 100 * rank + 10 * r + i;
  GOOD(onehop_reduce_scatter(job, all, mine, count, ONEHOP_DOUBLE, ONEHOP_MAX));
  for (int i = 0; i < count; ++i) EXPECT(mine[i] == 100 * (ranks - 1) + 10 * rank + i);
}

static void move_equal_blocks(void) {
  int send[most_ranks], receive[most_ranks], back = -1;
  for (int r = 0; r < ranks; ++r) send[r] = 10 * rank + r;
  GOOD(onehop_alltoall(job, send, receive, sizeof(int)));
  for (int r = 0; r < ranks; ++r) EXPECT(receive[r] == 10 * r + rank);
  for (int root = 0; root < ranks; ++root) {
    const int mine = 7 * rank + root, here = rank == root;
    GOOD(onehop_gather(job, &mine, sizeof mine, here ? receive : NULL, root));
    for (int r = 0; here && r < ranks; ++r) EXPECT(receive[r] == 7 * r + root);
    GOOD(onehop_scatter(job, here ? receive : NULL, &back, sizeof back, root));
    EXPECT(back == mine);
  }
}

/* Rank r sends r + to + 1 numbers to rank `to`, and nothing to itself. */
static size_t length(int from, int to) { return from == to ? 0 : (size_t)(from + to + 1); }

typedef struct {
  int values[most_ranks][2 * most_ranks];
  const void* blocks[most_ranks];
  size_t bytes[most_ranks];
  int came_values[most_ranks][2 * most_ranks];
  void* into[most_ranks];
  size_t room[most_ranks], came[most_ranks];
} lists;

static void set_lists(lists* l) {
  memset(l, 0, sizeof *l);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < 2 * most_ranks; ++i) l->values[r][i] = 1000 * rank + 100 * r + i;
    l->bytes[r] = length(rank, r) * sizeof(int);
    l->blocks[r] = l->bytes[r] > 0 ? l->values[r] : NULL;
    l->into[r] = l->came_values[r];
    l->room[r] = sizeof l->came_values[r];
  }
}

static void expect_list(const int* came, size_t bytes, int from, int to) {
  EXPECT(bytes == length(from, to) * sizeof(int));
  for (size_t i = 0; i < length(from, to); ++i) EXPECT(came[i] == 1000 * from + 100 * to + (int)i);
}

static void move_blocks_of_any_size(void) {
  static lists l;
  set_lists(&l);
  GOOD(onehop_alltoallv(job, l.blocks, l.bytes, l.into, l.room, l.came));
  for (int r = 0; r < ranks; ++r) expect_list(l.came_values[r], l.came[r], r, rank);
  for (int root = 0; root < ranks; ++root) {
    set_lists(&l);
    const int here = rank == root;
    GOOD(onehop_gatherv(job, l.blocks[root], l.bytes[root], here ? l.into : NULL,
                        here ? l.room : NULL, here ? l.came : NULL, root));
    for (int r = 0; here && r < ranks; ++r) expect_list(l.came_values[r], l.came[r], r, root);
    size_t came = 99;
    GOOD(onehop_scatterv(job, here ? l.blocks : NULL, here ? l.bytes : NULL, l.came_values[0],
                         sizeof l.came_values[0], &came, root));
    expect_list(l.came_values[0], came, root, rank);
  }
  /* The last rank has too little room for what the first one sends; nobody waits for it. */
  set_lists(&l);
  if (rank == ranks - 1) {
    l.room[0] = 1;
    REFUSED(onehop_alltoallv(job, l.blocks, l.bytes, l.into, l.room, NULL), ONEHOP_USAGE_ERROR,
            "has room for 1 byte from rank 0, which sends ");
  } else {
    GOOD(onehop_alltoallv(job, l.blocks, l.bytes, l.into, l.room, NULL));
  }
}

static void finish(onehop_collective* one, int turn) {
  int over = 0;
  if ((turn + rank) % 2 == 0) {
    GOOD(onehop_collective_wait(one));
    return;
  }
  while (!over) GOOD(onehop_collective_test(one, &over));
}

static void repeat_reductions(void) {
  enum { sum, at_root, up_to, below, block, kinds };
  const int root = ranks - 1;
  double values[kinds][most_ranks];
  double own;
  onehop_collective* made[kinds];
  const onehop_type type = ONEHOP_DOUBLE;
  GOOD(onehop_allreduce_make(job, values[sum], 1, type, ONEHOP_SUM, &made[sum]));
  GOOD(onehop_reduce_make(job, values[at_root], 1, type, ONEHOP_SUM, root, &made[at_root]));
  GOOD(onehop_scan_make(job, values[up_to], 1, type, ONEHOP_SUM, &made[up_to]));
  GOOD(onehop_exclusive_scan_make(job, values[below], 1, type, ONEHOP_SUM, &made[below]));
  GOOD(onehop_reduce_scatter_make(job, values[block], &own, 1, type, ONEHOP_SUM, &made[block]));
  for (int turn = 0; turn < 5; ++turn) {
    double total = 0, before = 0;
    for (int r = 0; r < ranks; ++r) total += r + turn;
    for (int r = 0; r < rank; ++r) before += r + turn;
    for (int k = 0; k < kinds; ++k)
      for (int r = 0; r < ranks; ++r) values[k][r] = rank + turn;
    for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_start(made[k]));
    for (int k = kinds; k-- > 0;) finish(made[k], turn);
    EXPECT(values[sum][0] == total && own == total);
    if (rank == root) EXPECT(values[at_root][0] == total);
    EXPECT(values[up_to][0] == before + rank + turn);
    EXPECT(values[below][0] == (rank == 0 ? turn : before));
  }
  for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_free(made[k]));
}

static void repeat_blocks(void) {
  enum { broadcast, allgather, gather, scatter, alltoall, kinds };
  int told, all[most_ranks], mine, gathered[most_ranks], given[most_ranks], got;
  int send[most_ranks], receive[most_ranks];
  const int root = ranks - 1;
  onehop_collective* made[kinds];
  GOOD(onehop_broadcast_make(job, &told, sizeof told, root, &made[broadcast]));
  GOOD(onehop_allgather_make(job, all, sizeof *all, &made[allgather]));
  GOOD(onehop_gather_make(job, &mine, sizeof mine, rank == root ? gathered : NULL, root,
                          &made[gather]));
  GOOD(onehop_scatter_make(job, rank == root ? given : NULL, &got, sizeof got, root,
                           &made[scatter]));
  GOOD(onehop_alltoall_make(job, send, receive, sizeof *send, &made[alltoall]));
  for (int turn = 0; turn < 5; ++turn) {
    told = 5 * rank + turn;
    all[rank] = mine = 3 * rank + turn;
    for (int r = 0; r < ranks; ++r) {
      given[r] = 11 * r + turn;
      send[r] = 100 * rank + r + turn;
    }
    for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_start(made[k]));
    for (int k = kinds; k-- > 0;) finish(made[k], turn);
    EXPECT(told == 5 * root + turn && got == 11 * rank + turn);
    for (int r = 0; r < ranks; ++r) {
      EXPECT(all[r] == 3 * r + turn && receive[r] == 100 * r + rank + turn);
      if (rank == root) EXPECT(gathered[r] == 3 * r + turn);
    }
  }
  for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_free(made[k]));
}

static void repeat_blocks_of_any_size(void) {
  enum { alltoallv, gatherv, scatterv, kinds };
  static lists sent, at_root;
  int mine[2 * most_ranks], got[2 * most_ranks];
  const int root = ranks - 1, here = rank == root;
  set_lists(&sent);
  set_lists(&at_root);
  for (int r = 0; r < ranks; ++r) {
    sent.room[r] = length(r, rank) * sizeof(int);
    at_root.room[r] = length(r, root) * sizeof(int);
  }
  memcpy(mine, sent.values[root], sizeof mine);
  onehop_collective* made[kinds];
  GOOD(onehop_alltoallv_make(job, sent.blocks, sent.bytes, sent.into, sent.room, &made[alltoallv]));
  GOOD(onehop_gatherv_make(job, mine, sent.bytes[root], here ? at_root.into : NULL,
                           here ? at_root.room : NULL, root, &made[gatherv]));
  GOOD(onehop_scatterv_make(job, here ? sent.blocks : NULL, here ? sent.bytes : NULL, got,
                            length(root, rank) * sizeof(int), root, &made[scatterv]));
  for (int turn = 0; turn < 5; ++turn) {
    memset(sent.came_values, 0, sizeof sent.came_values);
    memset(at_root.came_values, 0, sizeof at_root.came_values);
    memset(got, 0, sizeof got);
    for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_start(made[k]));
    for (int k = kinds; k-- > 0;) finish(made[k], turn);
    for (int r = 0; r < ranks; ++r) {
      expect_list(sent.came_values[r], sent.room[r], r, rank);
      if (here) expect_list(at_root.came_values[r], at_root.room[r], r, root);
    }
    expect_list(got, length(root, rank) * sizeof(int), root, rank);
  }
  for (int k = 0; k < kinds; ++k) GOOD(onehop_collective_free(made[k]));
}

static void refuse_misuse(void) {
  double value = 0;
  onehop_collective* one = NULL;
  REFUSED(onehop_reduce(job, &value, 1, (onehop_type)77, ONEHOP_SUM, 0), ONEHOP_USAGE_ERROR,
          "onehop_reduce: there is no type 77");
  REFUSED(onehop_scan(job, &value, 1, ONEHOP_DOUBLE, (onehop_reduction)9), ONEHOP_USAGE_ERROR,
          "onehop_scan: there is no reduction 9");
  REFUSED(onehop_reduce(job, &value, 1, ONEHOP_DOUBLE, ONEHOP_SUM, ranks), ONEHOP_USAGE_ERROR,
          "give one from 0");
  REFUSED(onehop_alltoall(job, NULL, &value, 8), ONEHOP_USAGE_ERROR, "the memory to send is NULL");
  REFUSED(onehop_alltoallv(job, NULL, NULL, NULL, NULL, NULL), ONEHOP_USAGE_ERROR, "is NULL");
  REFUSED(onehop_gather(job, &value, SIZE_MAX / 2, NULL, rank), ONEHOP_USAGE_ERROR, "more bytes");
  REFUSED(onehop_allreduce_make(job, &value, 1, ONEHOP_DOUBLE, ONEHOP_SUM, NULL),
          ONEHOP_USAGE_ERROR, "the place for the new handle is NULL");
  REFUSED(onehop_collective_start(NULL), ONEHOP_USAGE_ERROR, "the collective is NULL");
  GOOD(onehop_allreduce_make(job, &value, 1, ONEHOP_DOUBLE, ONEHOP_SUM, &one));
  REFUSED(onehop_collective_wait(one), ONEHOP_USAGE_ERROR, "start it first");
  REFUSED(onehop_collective_test(one, NULL), ONEHOP_USAGE_ERROR, "over is NULL");
  GOOD(onehop_collective_free(one));
  GOOD(onehop_collective_free(NULL));
}

int main(void) {
  join_job();
  reduce_and_scan();
  move_equal_blocks();
  move_blocks_of_any_size();
  repeat_reductions();
  repeat_blocks();
  repeat_blocks_of_any_size();
  refuse_misuse();
  GOOD(onehop_context_free(job));
  return 0;
}
