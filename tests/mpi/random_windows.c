/* Random accesses to windows. Kinds of windows, synchronizations, functions, places and datatypes
   are drawn from a seed that every rank knows. Within a round only sums may access the same memory,
   since their order does not matter. */
#include "draw.h"
#include "say.h"

enum { words = 4096, sums = 64, swaps = 64, longest = 40, most = 24, most_ranks = 16 };
enum kind { created, allocated, dynamic, kinds };
enum sync { fence, exposure, lock, lock_all, syncs };
enum access {
  put,
  get,
  replace,
  add,
  get_and_add,
  fetch_and_replace,
  fetch_only,
  swap_if,
  accesses
};

struct call {
  int origin, target, access, count, place, strided, by_request, exclusive, flush;
  int64_t compared, swapped;
};

static MPI_Win windows[kinds];
static int64_t* memory[kinds];
static MPI_Aint bases[kinds][most_ranks]; /* where a rank's memory begins in its window */
static MPI_Group all_ranks;
static MPI_Datatype strided[longest + 1];
static int64_t out[most][longest], in[most][longest];

static void make(void) {
  MPI_Aint here;
  memory[created] = malloc(words * 8);
  MPI_Win_create(memory[created], words * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[created]);
  MPI_Win_allocate(words * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[allocated],
                   &windows[allocated]);
  memory[dynamic] = malloc(words * 8);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[dynamic]);
  MPI_Win_attach(windows[dynamic], memory[dynamic], words * 8);
  MPI_Get_address(memory[dynamic], &here);
  MPI_Allgather(&here, 1, MPI_AINT, bases[dynamic], 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
  for (int count = 0; count <= longest; ++count) {
    MPI_Type_vector(count, 1, 2, MPI_INT64_T, &strided[count]);
    MPI_Type_commit(&strided[count]);
  }
  for (int kind = 0; kind < kinds; ++kind) {
    fill(memory[kind], words * 8, (unsigned)(kind + rank));
    memset(memory[kind], 0, (sums + swaps) * 8);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A window begins with sums, which are followed by words that are swapped. In the rest of it every
   access of a round has its own part. */
static int draw_calls(struct call* all) {
  int next_free[most_ranks], next_swap = sums;
  const int count = 1 + (int)draw(most);
  for (int i = 0; i < size; ++i) next_free[i] = sums + swaps;
  for (int i = 0; i < count; ++i) {
    struct call* one = &all[i];
    one->origin = (int)draw((unsigned)size);
    one->target = (int)draw((unsigned)size);
    one->access = (int)draw(accesses);
    one->count = one->access < fetch_and_replace ? (int)draw(longest + 1) : 1;
    one->strided = draw(3) == 0 && one->access <= replace;
    one->by_request = (int)draw(2);
    one->exclusive = (int)draw(2);
    one->flush = (int)draw(4);
    one->compared = draw(3);
    one->swapped = draw(3);
    int* const place = one->access == swap_if ? &next_swap : &next_free[one->target];
    const int drawn = (int)draw(sums - longest);
    one->place = one->access == add ? drawn : *place;
    if (one->access != add) *place += one->access == swap_if ? 1 : 2 * one->count + (int)draw(4);
  }
  return count;
}

static void access_window(const struct call* one, int number, enum kind kind, int may_request,
                          MPI_Request* request) {
  const MPI_Win win = windows[kind];
  const MPI_Datatype word = MPI_INT64_T, type = one->strided ? strided[one->count] : word;
  const MPI_Aint base = bases[kind][one->target], place = base + one->place * (base ? 8 : 1);
  const int count = one->count, there = one->strided ? 1 : count, target = one->target;
  const int requests = may_request && one->by_request;
  int64_t *const from = out[number], *const to = in[number];
#define ONEHOP_CASE(what, Name, name, ...)    \
  case what:                                  \
    if (requests)                             \
      MPI_R##name(__VA_ARGS__, win, request); \
    else                                      \
      MPI_##Name(__VA_ARGS__, win);           \
    break
  switch (one->access) {
    ONEHOP_CASE(put, Put, put, from, count, word, target, place, there, type);
    ONEHOP_CASE(get, Get, get, to, count, word, target, place, there, type);
    ONEHOP_CASE(replace, Accumulate, accumulate, from, count, word, target, place, there, type,
                MPI_REPLACE);
    ONEHOP_CASE(add, Accumulate, accumulate, from, count, word, target, place, count, word,
                MPI_SUM);
    ONEHOP_CASE(get_and_add, Get_accumulate, get_accumulate, from, count, word, to, count, word,
                target, place, count, word, MPI_SUM);
    case fetch_and_replace:
      MPI_Fetch_and_op(from, to, word, target, place, MPI_REPLACE, win);
      break;
    case fetch_only:
      MPI_Fetch_and_op(from, to, word, target, place, MPI_NO_OP, win);
      break;
    case swap_if:
      MPI_Compare_and_swap(&one->swapped, &one->compared, to, word, target, place, win);
  }
}

static void flush(const struct call* one, MPI_Win win) {
  if (one->flush == 0) MPI_Win_flush(one->target, win);
  if (one->flush == 1) MPI_Win_flush_all(win);
  if (one->flush == 2) MPI_Win_flush_local_all(win);
}

static void play(const struct call* all, int count, enum kind kind, enum sync how) {
  const MPI_Win win = windows[kind];
  MPI_Request requests[most];
  int pending = 0;
  if (how == fence) MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (how == exposure) MPI_Win_post(all_ranks, 0, win), MPI_Win_start(all_ranks, 0, win);
  if (how == lock_all) MPI_Win_lock_all(0, win);
  for (int i = 0; i < count; ++i) {
    const struct call* one = &all[i];
    if (one->origin != rank) continue;
    if (how == lock)
      MPI_Win_lock(one->exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, one->target, 0, win);
    requests[pending] = MPI_REQUEST_NULL;
    access_window(one, i, kind, how == lock || how == lock_all, &requests[pending++]);
    if (how == lock_all) flush(one, win);
    if (how == lock) {
      MPI_Wait(&requests[pending - 1], MPI_STATUS_IGNORE);
      MPI_Win_unlock(one->target, win);
    }
  }
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  if (how == fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (how == exposure) MPI_Win_complete(win), MPI_Win_wait(win);
  if (how == lock_all) MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A rank reads its own memory under a lock, before any rank accesses it again. */
static uint64_t own_memory(enum kind kind) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, windows[kind]);
  const uint64_t found = digest(memory[kind], words * 8);
  MPI_Win_unlock(rank, windows[kind]);
  MPI_Barrier(MPI_COMM_WORLD);
  return found;
}

static void play_round(unsigned round, unsigned fill_seed) {
  struct call all[most];
  const enum kind kind = (enum kind)draw(kinds);
  const enum sync how = (enum sync)draw(syncs);
  const int count = draw_calls(all);
  fill(out, sizeof out, fill_seed + (unsigned)rank);
  memset(in, 0, sizeof in);
  play(all, count, kind, how);
  say("round %u: %d accesses, read %llx, memory %llx", round, count,
      (unsigned long long)digest(in, sizeof in), (unsigned long long)own_memory(kind));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make();
  play_rounds(argv, play_round);
  for (int kind = 0; kind < kinds; ++kind) MPI_Win_free(&windows[kind]);
  end();
}
