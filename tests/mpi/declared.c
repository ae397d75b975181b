/* Work declared with MPI_Pcontrol takes time. Prints the nanoseconds that each call took. */
#include "say.h"

static double clock_ns(void) { return 1e9 * MPI_Wtime(); }

int main(int argc, char** argv) {
  /* A profiler's switch may come before MPI_Init and after MPI_Finalize. */
  MPI_Pcontrol(0);
  MPI_Pcontrol(100, 1.0);
  begin(&argc, &argv);
  double times[6];
  times[0] = clock_ns();
  MPI_Pcontrol(100, 1.25e-3);
  times[1] = clock_ns();
  MPI_Pcontrol(101, 3e6, 1e3);
  times[2] = clock_ns();
  MPI_Pcontrol(101, 1e3, 5e6);
  times[3] = clock_ns();
  MPI_Pcontrol(1);
  MPI_Pcontrol(2);
  times[4] = clock_ns();
  if (rank == 0) MPI_Pcontrol(100, 0.5);
  MPI_Barrier(MPI_COMM_WORLD);
  times[5] = clock_ns();
  for (int n = 0; n < 4; ++n) say("%.0f", times[n + 1] - times[n]);
  say("%d", times[5] - times[4] >= 5e8);
  end();
  MPI_Pcontrol(100, 1.0);
  return 0;
}
