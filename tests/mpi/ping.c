/* Message times: half a round trip for each size. */
#include "say.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char data[1 << 20];
  const int repeats = argc > 1 ? atoi(argv[1]) : 3;
  const int sizes[] = {8, 4096, 1 << 16, 1 << 20};
  for (int s = 0; s < 4 && rank < 2; ++s) {
    double begun = 0;
    for (int i = -1; i < repeats; ++i) {
      if (i == 0) begun = MPI_Wtime();
      if (rank == 0) MPI_Send(data, sizes[s], MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(data, sizes[s], MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(data, sizes[s], MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    if (rank == 0) say("%d bytes %.6f us", sizes[s], (MPI_Wtime() - begun) * 5e5 / repeats);
  }
  end();
}
