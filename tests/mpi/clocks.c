/* The system's clocks advance by the same time as MPI_Wtime. */
#include <math.h>
#include <sys/time.h>
#include <time.h>

#include "say.h"

static double clock_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static double day(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return 1e6 * (double)now.tv_sec + (double)now.tv_usec;
}

int main(int argc, char** argv) {
  const double start = clock_of(CLOCK_MONOTONIC), start_real = clock_of(CLOCK_REALTIME);
  begin(&argc, &argv);
  static char data[1 << 20];
  const double times[] = {1e6 * MPI_Wtime(), clock_of(CLOCK_MONOTONIC), clock_of(CLOCK_REALTIME), day()};
  for (int i = 0; i < 10; ++i) {
    if (rank == 0) MPI_Send(data, sizeof data, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(data, sizeof data, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, sizeof data, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  const double ends[] = {1e6 * MPI_Wtime(), clock_of(CLOCK_MONOTONIC), clock_of(CLOCK_REALTIME), day()};
  if (rank == 0) say("%.0f us", ends[0] - times[0]);
  /* As doubles, microseconds since 1970 have a resolution of a quarter. */
  for (int clock = 1; clock < 4; ++clock)
    if (fabs(ends[clock] - times[clock] - (ends[0] - times[0])) > 1.3)
      say("clock %d: %.3f us, MPI_Wtime %.3f us", clock, ends[clock] - times[clock], ends[0] - times[0]);
  /* A loop that waits for the clock must end. */
  while (clock_of(CLOCK_MONOTONIC) < ends[1] + 100) {
  }
  end();
  if (clock_of(CLOCK_MONOTONIC) < ends[1] + 100 || ends[1] < start || ends[2] < start_real)
    printf("a clock went back\n");
  return 0;
}
