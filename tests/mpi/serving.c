/* Rank 0 waits in a barrier while rank 1 reads its memory word by word. */
#include <time.h>

#include "say.h"

static int sleeps;

/* The MPI library sleeps by this. */
int nanosleep(const struct timespec* time, struct timespec* left) {
  ++sleeps;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left) == 0 ? 0 : -1;
}

int main(int argc, char** argv) {
  enum { requests = 2000 };
  int mine = 7, got = 0;
  MPI_Win win;
  begin(&argc, &argv);
  MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  sleeps = 0;
  if (rank == 1) {
    usleep(20000);
    for (int i = 0; i < requests; ++i) {
      MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
      MPI_Win_flush(0, win);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    say("more than half of the requests found it asleep: %d", sleeps > requests / 2);
  else
    say("got %d", got);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  end();
}
