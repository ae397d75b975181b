/* Windows of every kind, under every synchronization. */
#include <sys/resource.h>

#include "say.h"

enum { count = 5000 };

/* Ranks of one node share memory that MPI allocates. Memory passed to MPI_Win_create is accessed by
   messages. */
static void fence(int allocated) {
  static int own[count];
  int *mine = own, from[count], into[count];
  MPI_Win win;
  MPI_Datatype column;
  for (int i = 0; i < count; ++i) from[i] = 10000 * rank + i, into[i] = -1;
  if (allocated)
    MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  else
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < count; ++i) mine[i] = -rank;
  MPI_Win_fence(0, win);
  MPI_Put(from, count / 2, MPI_INT, next(1), 7, count / 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  say("put %llx", (unsigned long long)digest(mine, count * sizeof(int)));
  MPI_Get(into, count, MPI_INT, next(2), 0, count, MPI_INT, win);
  MPI_Win_fence(0, win);
  say("get %llx", (unsigned long long)digest(into, sizeof into));
  MPI_Type_vector(count / 4, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Put(from, count / 4, MPI_INT, next(1), 1, 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(from, 1, column, next(-1), 2, 1, column, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(from, 9, MPI_INT, 0, 0, 9, MPI_INT, MPI_MAX, win);
  MPI_Win_fence(0, win);
  say("columns %llx", (unsigned long long)digest(mine, count * sizeof(int)));
  MPI_Type_free(&column);
  MPI_Win_free(&win);
}

static void locks(void) {
  long counter[4] = {0, 0, 5, 0}, one = 1, before, zero = 0, seen;
  struct {
    double value;
    int place;
  } best = {0, -1}, mine = {(rank * 3) % 4, rank}, got;
  MPI_Win win, places;
  MPI_Win_create(counter, sizeof counter, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create(&best, sizeof best, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &places);
  for (int i = 0; i < 20; ++i) {
    MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_lock_all(0, places);
  MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, places);
  MPI_Win_flush_all(places);
  MPI_Win_unlock_all(places);
  /* Only one rank's swap succeeds: exactly one finds the number that all expect. */
  MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
  long five = 5, next_value = 100 + rank, found;
  MPI_Compare_and_swap(&next_value, &five, &found, MPI_LONG, size - 1, 2, win);
  MPI_Win_flush(size - 1, win);
  MPI_Win_unlock(size - 1, win);
  int won = found == 5, all;
  MPI_Allreduce(&won, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, &seen, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_unlock(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, places);
  MPI_Get(&got, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, places);
  MPI_Win_unlock(0, places);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Fetch_and_op(&zero, &before, MPI_LONG, 0, 0, MPI_NO_OP, win);
  MPI_Win_unlock(0, win);
  say("counted %ld %ld, one of them %d, best %g at %d", before, seen, all, got.value, got.place);
  MPI_Win_free(&win);
  MPI_Win_free(&places);
}

/* No update is lost if all ranks change the same memory at once. */
static void together(void) {
  enum { times = 2000 };
  long *mine, one = 1, before, last = -1, rising = 1, expected, found;
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  mine[0] = mine[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < times; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, size - 1, 0, MPI_SUM, win);
    MPI_Win_flush(size - 1, win);
    rising &= before > last;
    last = before;
    MPI_Accumulate(&one, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, MPI_SUM, win);
  }
  for (found = -1, expected = 0; found != expected;) {
    if (found >= 0) expected = found;
    const long value = expected + rank + 1;
    MPI_Compare_and_swap(&value, &expected, &found, MPI_LONG, 0, 1, win);
    MPI_Win_flush_local(0, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Get(&last, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, win);
  MPI_Get(&found, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
  MPI_Win_unlock_all(win);
  say("together %ld %ld %ld", rising, last, found);
  MPI_Win_free(&win);
}

/* A rank that makes no calls sees what others put into memory that they share. */
static void asleep(void) {
  MPI_Comm node;
  MPI_Win win;
  int *mine, here, neighbours, one = 1, got = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &here);
  MPI_Comm_size(node, &neighbours);
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  mine[0] = 0, mine[1] = 7 + here;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(node);
  if (here == 1) {
    MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
    say("asleep %d", got);
  }
  if (here == 0 && neighbours > 1)
    while (*(volatile int*)mine == 0) usleep(100);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

static void say_hint(MPI_Win win, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = "none";
  MPI_Info hints;
  int flag;
  MPI_Win_get_info(win, &hints);
  MPI_Info_get(hints, key, MPI_MAX_INFO_VAL, value, &flag);
  say("%s: %s", key, value);
  MPI_Info_free(&hints);
}

/* A window keeps the hints of the standard, and no others. */
static void hints(void) {
  int mine;
  MPI_Info told;
  MPI_Win win;
  MPI_Info_create(&told);
  MPI_Info_set(told, "no_locks", "true");
  MPI_Win_create(&mine, sizeof mine, 1, told, MPI_COMM_WORLD, &win);
  MPI_Info_delete(told, "no_locks");
  MPI_Info_set(told, "accumulate_ordering", "none");
  MPI_Info_set(told, "colour", "green");
  MPI_Win_set_info(win, told);
  say_hint(win, "no_locks");
  say_hint(win, "accumulate_ordering");
  say_hint(win, "accumulate_ops");
  say_hint(win, "colour");
  MPI_Info_free(&told);
  MPI_Win_free(&win);
}

/* Each rank exposes its memory to the next rank, and waits for that rank. */
static void exposures(void) {
  int mine[16], value[16];
  MPI_Group all, origin, target;
  MPI_Win win;
  const int before = next(-1), after = next(1);
  for (int i = 0; i < 16; ++i) mine[i] = 0, value[i] = 50 * rank + i;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &before, &origin);
  MPI_Group_incl(all, 1, &after, &target);
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Win_post(origin, 0, win);
    MPI_Win_start(target, 0, win);
    MPI_Put(value + turn, 8, MPI_INT, after, turn, 8, MPI_INT, win);
    MPI_Win_complete(win);
    if (turn == 1) {
      int flag = 0;
      while (!flag) MPI_Win_test(win, &flag);
    } else {
      MPI_Win_wait(win);
    }
    say("exposed %llx", (unsigned long long)digest(mine, sizeof mine));
  }
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
}

static void dynamic(void) {
  int mine[4] = {rank, rank + 1, rank + 2, rank + 3}, got[4];
  MPI_Aint places[8];
  MPI_Request one;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, mine, sizeof mine);
  MPI_Get_address(mine, &places[rank]);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, places, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Rget(got, 4, MPI_INT, next(1), places[next(1)], 4, MPI_INT, win, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  say("dynamic %d %d", got[0], got[3]);
  MPI_Rget(got, 0, MPI_INT, next(1), places[next(1)], 0, MPI_INT, win, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, mine);
  MPI_Win_free(&win);
}

/* Ranks of one node load what others stored. In virtual time each rank has its own node. */
static void shared(void) {
  MPI_Comm node;
  MPI_Win win;
  int *mine, *first, unit, here, together;
  MPI_Aint bytes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &here);
  MPI_Comm_size(node, &together);
  MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_lock_all(0, win);
  mine[0] = 10 * here;
  mine[1] = 10 * here + 1;
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Win_sync(win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  if (together == size) say("shared %ld %d %d", (long)bytes, unit, first[2 * together - 1]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Info apart;
  MPI_Info_create(&apart);
  MPI_Info_set(apart, "alloc_shared_noncontig", "true");
  MPI_Win_allocate_shared(here == 0 ? 0 : sizeof(int), 1, apart, node, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  say("nothing %ld %d", (long)bytes, first == NULL);
  MPI_Info_free(&apart);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

static void wrong(void) {
  int mine = 0, code, class;
  MPI_Win win;
  MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  code = MPI_Put(&mine, 1, MPI_INT, size, 0, 1, MPI_INT, win);
  MPI_Error_class(code, &class);
  say("rank %d", class == MPI_ERR_RANK);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static long peak_kib(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

/* Any number of accesses may be in progress without using memory of the ranks. */
static void many(void) {
  enum { bytes = 1 << 16, gets = 1500, puts = 1500 };
  static char mine[bytes], into[bytes], gaps[2 * bytes];
  MPI_Datatype every_other;
  MPI_Win win;
  MPI_Type_vector(bytes / 1024, 1024, 2048, MPI_CHAR, &every_other);
  MPI_Type_commit(&every_other);
  fill(mine, bytes, (unsigned)rank);
  MPI_Win_create(mine, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  const long before = peak_kib();
  for (int i = 0; i < gets && rank == 1; ++i)
    if (i % 2)
      MPI_Get(into, bytes, MPI_CHAR, 0, 0, bytes, MPI_CHAR, win);
    else
      MPI_Get(gaps, 1, every_other, 0, 0, bytes, MPI_CHAR, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < puts && rank == 1; ++i)
    MPI_Put(into, bytes, MPI_CHAR, 2, 0, bytes, MPI_CHAR, win);
  MPI_Win_fence(0, win);
  say("many %llx %llx %llx, in little memory %d", (unsigned long long)digest(mine, bytes),
      (unsigned long long)digest(into, bytes), (unsigned long long)digest(gaps, sizeof gaps),
      peak_kib() - before < 30000);
  MPI_Win_free(&win);
  MPI_Type_free(&every_other);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  fence(1);
  fence(0);
  locks();
  together();
  asleep();
  hints();
  exposures();
  dynamic();
  shared();
  many();
  wrong();
  end();
}
