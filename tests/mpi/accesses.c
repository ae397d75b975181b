/* Every access to every kind of window under every synchronization, repeated as in benchmarks. */
#include "say.h"

enum { count = 50000, first = 3, repeats = 4 };
enum sync { lock, shared_lock, flush, flush_local, lock_all, exposure, fence, syncs };
static const char* const sync_names[syncs] = {"lock",     "shared lock", "flush", "flush_local",
                                              "lock_all", "exposure",    "fence"};
enum kind { created, allocated, dynamic, kinds };
static const char* const kind_names[kinds] = {"created", "allocated", "dynamic"};

static MPI_Win win;
static long *mine, from[count], into[count], own[count];
static MPI_Aint base; /* where the target's memory begins in its window */
static MPI_Group origin, target;

static void make(enum kind what) {
  mine = own;
  base = 0;
  if (what == created)
    MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  else if (what == allocated)
    MPI_Win_allocate(sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  else {
    MPI_Aint here;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, own, sizeof own);
    MPI_Get_address(own, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, next(-1), 0, &base, 1, MPI_AINT, next(1), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

static void enter(enum sync how) {
  if (how == lock) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(1), 0, win);
  if (how == shared_lock) MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win);
  if (how == exposure) MPI_Win_post(origin, 0, win), MPI_Win_start(target, 0, win);
  if (how == fence) MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
}

static void leave(enum sync how) {
  if (how == lock || how == shared_lock) MPI_Win_unlock(next(1), win);
  if (how == flush) MPI_Win_flush(next(1), win);
  if (how == flush_local) MPI_Win_flush_local(next(1), win);
  if (how == lock_all) MPI_Win_flush_all(win);
  if (how == exposure) MPI_Win_complete(win), MPI_Win_wait(win);
  if (how == fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Locks that are held during all repeats are taken before the first one. */
static void open_epoch(enum sync how) {
  if (how == flush || how == flush_local) MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win);
  if (how == lock_all) MPI_Win_lock_all(0, win);
}

static void close_epoch(enum sync how) {
  if (how == flush || how == flush_local) MPI_Win_unlock(next(1), win);
  if (how == lock_all) MPI_Win_unlock_all(win);
}

enum access { put, get, add, get_and_add, fetch_and_add, swap_if, rput, rget, accesses };
static const char* const access_names[accesses] = {
    "put",  "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget"};

/* Returns the displacement of the first of `n` elements at the target, in units of the window. */
static MPI_Aint place(enum kind what) {
  return what == dynamic ? base + first * (MPI_Aint)sizeof(long) : first;
}

static void one_access(enum access what, int n, MPI_Aint at) {
  const int to = next(1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (what == put) MPI_Put(from, n, MPI_LONG, to, at, n, MPI_LONG, win);
  if (what == get) MPI_Get(into, n, MPI_LONG, to, at, n, MPI_LONG, win);
  if (what == add) MPI_Accumulate(from, n, MPI_LONG, to, at, n, MPI_LONG, MPI_SUM, win);
  if (what == get_and_add)
    MPI_Get_accumulate(from, n, MPI_LONG, into, n, MPI_LONG, to, at, n, MPI_LONG, MPI_SUM, win);
  if (what == fetch_and_add) MPI_Fetch_and_op(from, into, MPI_LONG, to, at, MPI_SUM, win);
  if (what == swap_if) MPI_Compare_and_swap(from, from + 1, into, MPI_LONG, to, at, win);
  if (what == rput) MPI_Rput(from, n, MPI_LONG, to, at, n, MPI_LONG, win, &request);
  if (what == rget) MPI_Rget(into, n, MPI_LONG, to, at, n, MPI_LONG, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Prints what the ranks have after repeated accesses of each rank to the next one's memory. */
static void repeat(enum access what, enum kind memory, enum sync how, int n) {
  for (int i = 0; i < count; ++i)
    mine[i] = 1000 * rank + i, from[i] = 7 * rank + (i & 1023), into[i] = -1;
  from[1] = 1000 * next(1) + first; /* the value that compare_and_swap finds the first time */
  MPI_Barrier(MPI_COMM_WORLD);
  open_epoch(how);
  for (int i = 0; i < repeats; ++i) {
    enter(how);
    one_access(what, n, place(memory));
    leave(how);
  }
  close_epoch(how);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win); /* makes other ranks' writes visible to a rank */
  say("%s %s %s %d: %llx %llx", kind_names[memory], sync_names[how], access_names[what], n,
      (unsigned long long)digest(mine, sizeof own), (unsigned long long)digest(into, sizeof into));
  MPI_Win_unlock(rank, win);
}

int main(int argc, char** argv) {
  static const int sizes[] = {1, 300, count - first};
  MPI_Group all;
  begin(&argc, &argv);
  const int before = next(-1), after = next(1);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &before, &origin);
  MPI_Group_incl(all, 1, &after, &target);
  for (enum kind memory = 0; memory < kinds; ++memory) {
    make(memory);
    for (enum sync how = 0; how < syncs; ++how)
      for (enum access what = 0; what < accesses; ++what)
        for (int s = 0; s < 3; ++s) {
          const int single = what == fetch_and_add || what == swap_if;
          const int passive = how != exposure && how != fence;
          if ((s > 0 && single) || (what >= rput && !passive)) continue;
          repeat(what, memory, how, sizes[s]);
        }
    if (memory == dynamic) MPI_Win_detach(win, own);
    MPI_Win_free(&win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
  end();
}
