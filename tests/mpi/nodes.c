/* A halo exchange on a grid of ranks, and what ranks know of their nodes. The last line of each
   rank is the time in nanoseconds at which it finished. */
#include "say.h"

enum { face = 6000, steps = 5 };

static void exchange_faces(MPI_Comm grid) {
  static char sent[4][face], got[4][face];
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[8];
    for (int way = 0; way < 4; ++way) {
      int behind, ahead;
      MPI_Cart_shift(grid, way / 2, way % 2 == 0 ? 1 : -1, &behind, &ahead);
      fill(sent[way], face, (unsigned)(rank + way + step));
      MPI_Irecv(got[way], face, MPI_CHAR, behind, way, grid, &all[way]);
      MPI_Isend(sent[way], face, MPI_CHAR, ahead, way, grid, &all[4 + way]);
    }
    MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    for (int way = 0; way < 4; ++way) {
      int behind, ahead;
      MPI_Cart_shift(grid, way / 2, way % 2 == 0 ? 1 : -1, &behind, &ahead);
      static char right[face];
      fill(right, face, (unsigned)(behind + way + step));
      if (memcmp(right, got[way], face) != 0) say("a face of step %d is wrong", step);
    }
    long sum = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, grid);
    if (sum != (long)size * (size - 1) / 2) say("a sum is wrong");
  }
}

/* The other ranks of a node load what one of them has stored. */
static void share(MPI_Comm node, int first) {
  int *mine, *theirs, unit;
  MPI_Aint bytes;
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &window);
  MPI_Win_fence(0, window);
  *mine = rank;
  MPI_Win_fence(0, window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &theirs);
  if (*theirs != first) say("rank %d is first on the node, and its memory says %d", first, *theirs);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm grid, node;
  int extents[2] = {0, 0}, periods[2] = {1, 1}, beside, first = rank, length;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
  exchange_faces(grid);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &beside);
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  share(node, first);
  char name[MPI_MAX_PROCESSOR_NAME], host[256];
  MPI_Get_processor_name(name, &length);
  gethostname(host, sizeof host);
  say("%s %s %d beside %d", name, host, beside, first);
  say("through at %.0f ns", 1e9 * MPI_Wtime());
  MPI_Comm_free(&node);
  MPI_Comm_free(&grid);
  end();
  return 0;
}
