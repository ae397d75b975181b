/* Accesses outside of epochs, epochs that overlap, and the error classes that MPI returns. */
#include "say.h"

static int mine[2], got;
static MPI_Win win;
static int more; /* a first argument adds what crashes MPICH 5.0 or is not an error there */

/* Prints the error class that a call has returned. */
static void told(const char* what, int code) {
  int class;
  MPI_Error_class(code, &class);
  say("%s: %s", what,
      class == MPI_SUCCESS        ? "none"
      : class == MPI_ERR_RMA_SYNC ? "epoch"
      : class == MPI_ERR_TYPE     ? "type"
                                  : "another");
}

static int get(int from) { return MPI_Get(&got, 1, MPI_INT, from, 0, 1, MPI_INT, win); }

static void fences(void) {
  told("get before any epoch", get(next(1)));
  told("put before any epoch", MPI_Put(&got, 1, MPI_INT, next(1), 0, 1, MPI_INT, win));
  told("get from nobody", get(MPI_PROC_NULL));
  told("fence", MPI_Win_fence(0, win));
  told("lock after a fence alone", MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win));
  told("get when locked", get(next(1)));
  told("unlock", MPI_Win_unlock(next(1), win));
  told("get after the lock", get(next(1)));
  told("fence", MPI_Win_fence(0, win));
  told("get after a fence", get(next(1)));
  told("lock after accesses", MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win));
  told("lock_all after accesses", MPI_Win_lock_all(0, win));
  told("last fence", MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  told("get after the last fence", get(next(1)));
}

static void locks(void) {
  told("lock", MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win));
  told("lock again", MPI_Win_lock(MPI_LOCK_SHARED, next(1), 0, win));
  if (more) told("get from a rank that is not locked", get(next(2)));
  told("free when locked", MPI_Win_free(&win));
  told("fence when locked", MPI_Win_fence(0, win));
  told("unlock", MPI_Win_unlock(next(1), win));
  told("unlock again", MPI_Win_unlock(next(1), win));
}

static void exposures(void) {
  const int before = next(-1), after = next(1);
  MPI_Group all, origin, target;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &before, &origin);
  MPI_Group_incl(all, 1, &after, &target);
  told("complete without start", MPI_Win_complete(win));
  told("wait without post", MPI_Win_wait(win));
  told("post", MPI_Win_post(origin, 0, win));
  told("start", MPI_Win_start(target, 0, win));
  told("start again", MPI_Win_start(target, 0, win));
  told("get from a target", get(after));
  if (more) told("get from a rank that is none", get(before));
  told("lock after start", MPI_Win_lock(MPI_LOCK_SHARED, after, 0, win));
  told("fence after start", MPI_Win_fence(0, win));
  told("free after start", MPI_Win_free(&win));
  told("complete", MPI_Win_complete(win));
  told("get after complete", get(after));
  if (more) told("free after post", MPI_Win_free(&win));
  told("wait", MPI_Win_wait(win));
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
}

/* Ranks that promise with MPI_MODE_NOCHECK that no lock conflicts do not wait for one. */
static void promises(void) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  mine[0] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    told("lock by promise", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win));
    told("put", MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    told("unlock", MPI_Win_unlock(0, win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) told("unlock", MPI_Win_unlock(0, win));
  told("lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
  say("the last rank has put %d", mine[0]);
  told("unlock", MPI_Win_unlock(rank, win));
}

/* A rank that only looks at its own memory sees what another rank has put there. */
static void looks(void) {
  const int seven = 7;
  mine[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  if (rank == size - 1) MPI_Put(&seven, 1, MPI_INT, 0, 1, 1, MPI_INT, win), MPI_Win_flush(0, win);
  while (rank == 0 && *(volatile int*)&mine[1] != seven) MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
}

#define COMPARE(type, datatype)                                                              \
  do {                                                                                       \
    type value = 0, found = 0;                                                               \
    told(#datatype, MPI_Compare_and_swap(&value, &value, &found, datatype, rank, 0, bytes)); \
  } while (0)

static void compared(void) {
  static char memory[16];
  MPI_Datatype made;
  MPI_Win bytes;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bytes);
  MPI_Win_set_errhandler(bytes, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(4, MPI_BYTE, &made);
  MPI_Type_commit(&made);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, bytes);
  COMPARE(char, MPI_BYTE);
  COMPARE(short, MPI_SHORT);
  COMPARE(unsigned long, MPI_UNSIGNED_LONG);
  COMPARE(MPI_Aint, MPI_AINT);
  COMPARE(char, MPI_C_BOOL);
  COMPARE(float, MPI_FLOAT);
  COMPARE(double, MPI_DOUBLE);
  COMPARE(int, made);
  MPI_Win_unlock(rank, bytes);
  MPI_Type_free(&made);
  MPI_Win_free(&bytes);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  more = argc > 1;
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  fences();
  locks();
  exposures();
  promises();
  if (more) looks();
  told("free", MPI_Win_free(&win));
  compared();
  end();
}
