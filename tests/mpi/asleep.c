/* Long reads of memory that the target passed to MPI_Win_create, while the target makes no call for
   as many seconds as the first argument says. */
#include "say.h"

enum { count = 20000, column_length = count / 3 };

static int mine[count], into[count], gaps[count];

static void read_all(MPI_Win win) {
  MPI_Request one;
  MPI_Datatype column;
  MPI_Type_vector(column_length, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Get(into, count, MPI_INT, 0, 0, count, MPI_INT, win);
  MPI_Get(gaps, 1, column, 0, 1, 1, column, win);
  MPI_Win_flush(0, win);
  say("all %llx %llx", (unsigned long long)digest(into, sizeof into),
      (unsigned long long)digest(gaps, sizeof gaps));
  MPI_Rget(into, column_length, MPI_INT, 0, 2, 1, column, win, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  say("column %llx", (unsigned long long)digest(into, column_length * sizeof(int)));
  MPI_Type_free(&column);
}

/* A rank that puts a value and then reads it gets that value, even without a flush in between. */
static void read_back(MPI_Win win) {
  int same = 0;
  for (int turn = 0; turn < 20; ++turn) {
    fill(gaps, sizeof gaps, (unsigned)turn);
    MPI_Put(gaps, count, MPI_INT, 2, 0, count, MPI_INT, win);
    MPI_Get(into, count, MPI_INT, 2, 0, count, MPI_INT, win);
    MPI_Win_flush(2, win);
    same += memcmp(into, gaps, sizeof gaps) == 0;
  }
  say("read back %d", same);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const double patience = atof(argv[1]);
  MPI_Win win, told;
  MPI_Aint bytes;
  int unit;
  volatile int *own, *done;
  MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &told);
  MPI_Win_shared_query(told, 0, &bytes, &unit, &done);
  *own = 0;
  fill(mine, sizeof mine, (unsigned)rank);
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    read_all(win);
    *done = 1;
    read_back(win);
  }
  if (rank == 0) {
    const double begin = MPI_Wtime();
    while (*done == 0 && MPI_Wtime() - begin < patience) usleep(100);
    say("read meanwhile %d", *done);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Win_free(&told);
  end();
}
