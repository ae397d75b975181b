/* Programs that fail in the way that the first argument says. */
#include <signal.h>

#include "say.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* how = argv[1];
  char four[4] = "abc";
  int value = 0;
  if (!strcmp(how, "truncated")) {
    if (rank == 0) MPI_Send(four, 4, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(four, 2, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "killed")) {
    if (rank == 1) raise(SIGKILL);
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "unmatched")) {
    if (rank == 1) MPI_Send(four, 3, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
  } else if (!strcmp(how, "abort")) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  } else if (!strcmp(how, "unsupported")) {
    char port[MPI_MAX_PORT_NAME];
    for (int i = 0; i < 2; ++i) value += MPI_Lookup_name("service", MPI_INFO_NULL, port);
    say("returned %d", value == 2 * MPI_ERR_UNSUPPORTED_OPERATION);
  } else if (!strcmp(how, "rank")) {
    MPI_Send(four, 1, MPI_CHAR, size, 0, MPI_COMM_WORLD);
  } else if (!strcmp(how, "window of nothing")) {
    MPI_Win window;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(rank == 1 ? NULL : four, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  } else if (!strcmp(how, "nothing attached")) {
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, NULL, 0);
    if (rank == 1) MPI_Win_attach(window, NULL, 4);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  end();
}
