/* Ranks that change the same memory, one of which is stopped from time to time. Elements with gaps
   take so long to combine that the rank is usually stopped in the middle of a change. */
#include <signal.h>

#include "say.h"

enum { count = 1 << 12, stops = 8 };

struct placed {
  double value;
  int place;
};

int main(int argc, char** argv) {
  static struct placed best[count];
  struct placed* mine;
  int process = (int)getpid(), processes[16], over = 0;
  MPI_Win win;
  begin(&argc, &argv);
  for (int i = 0; i < count; ++i) best[i] = (struct placed){rank, i};
  MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Win_allocate(sizeof best, sizeof best[0], MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  memset(mine, 0, sizeof best);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; rank == 0 && i < stops; ++i) {
    kill(processes[1], SIGSTOP);
    usleep(200000); /* longer than a rank waits before it looks around */
    kill(processes[1], SIGCONT);
    usleep(20000);
  }
  if (rank == 0)
    for (int other = 1; other < size; ++other)
      MPI_Send(&over, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  while (rank > 0 && !over) {
    MPI_Accumulate(best, count, MPI_DOUBLE_INT, 0, 0, count, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Win_flush(0, win);
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &over, MPI_STATUS_IGNORE);
  }
  if (rank > 0) MPI_Recv(&over, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct placed last = mine[count - 1];
  if (rank == 0) say("last %g %d", last.value, last.place);
  MPI_Win_free(&win);
  end();
}
