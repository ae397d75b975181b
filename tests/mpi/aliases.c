/* Collectives that are given the same memory twice, and the error class that they return. */
#include "say.h"

enum { most = 8, each = 2 };

static int one[each * most], other[each * most], counts[most], places[most], bytes[most];
static MPI_Datatype types[most];
static MPI_Comm world = MPI_COMM_WORLD;

static void told(const char* what, int code) {
  int class;
  MPI_Error_class(code, &class);
  say("%s: %s", what,
      class == MPI_SUCCESS      ? "none"
      : class == MPI_ERR_BUFFER ? "buffer"
                                : "another");
}
#define TOLD(function, ...) told(#function, MPI_##function(__VA_ARGS__))

/* Only the root gets an error, and the other ranks do not call. */
static void at_root(void) {
  MPI_Request made;
  if (rank > 0) return;
  TOLD(Gather, one, each, MPI_INT, one, each, MPI_INT, 0, world);
  TOLD(Gatherv, one, each, MPI_INT, one, counts, places, MPI_INT, 0, world);
  TOLD(Scatter, one, each, MPI_INT, one, each, MPI_INT, 0, world);
  TOLD(Scatterv, one, counts, places, MPI_INT, one, each, MPI_INT, 0, world);
  TOLD(Reduce, one, one, each, MPI_INT, MPI_SUM, 0, world);
  TOLD(Ireduce, one, one, each, MPI_INT, MPI_SUM, 0, world, &made);
  TOLD(Igather, one, each, MPI_INT, one, each, MPI_INT, 0, world, &made);
}

static void everywhere(void) {
  MPI_Request made;
  int* const mine = one + each * rank;
  TOLD(Allgather, mine, each, MPI_INT, one, each, MPI_INT, world);
  TOLD(Allgatherv, mine, each, MPI_INT, one, counts, places, MPI_INT, world);
  TOLD(Alltoall, one, each, MPI_INT, one, each, MPI_INT, world);
  TOLD(Alltoallv, one, counts, places, MPI_INT, one, counts, places, MPI_INT, world);
  TOLD(Alltoallw, one, counts, bytes, types, one, counts, bytes, types, world);
  TOLD(Allreduce, one, one, each, MPI_INT, MPI_SUM, world);
  TOLD(Scan, one, one, each, MPI_INT, MPI_SUM, world);
  TOLD(Exscan, one, one, each, MPI_INT, MPI_SUM, world);
  TOLD(Reduce_scatter, one, one, counts, MPI_INT, MPI_SUM, world);
  TOLD(Reduce_scatter_block, one, one, each, MPI_INT, MPI_SUM, world);
  TOLD(Reduce_local, one, one, each, MPI_INT, MPI_SUM);
  TOLD(Reduce_local, MPI_IN_PLACE, one, each, MPI_INT, MPI_SUM);
  TOLD(Reduce_local, one, MPI_IN_PLACE, each, MPI_INT, MPI_SUM);
  TOLD(Iallreduce, one, one, each, MPI_INT, MPI_SUM, world, &made);
  TOLD(Ialltoall, one, each, MPI_INT, one, each, MPI_INT, world, &made);
}

/* There is no error if a buffer is empty, or if the types place their elements apart. */
static void right(void) {
  MPI_Datatype from, to;
  MPI_Aint from_here[1], to_here[1];
  int length = each, sum = 0;
  TOLD(Allreduce, one, one, 0, MPI_INT, MPI_SUM, world);
  TOLD(Alltoall, one, 0, MPI_INT, one, 0, MPI_INT, world);
  TOLD(Allreduce, one, other, each, MPI_INT, MPI_SUM, world);
  MPI_Get_address(one, from_here);
  MPI_Get_address(other, to_here);
  MPI_Type_create_hindexed(1, &length, from_here, MPI_INT, &from);
  MPI_Type_create_hindexed(1, &length, to_here, MPI_INT, &to);
  MPI_Type_commit(&from);
  MPI_Type_commit(&to);
  other[0] = -1;
  TOLD(Alltoall, MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, MPI_COMM_SELF);
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  for (int i = 0; i < each; ++i) sum += other[i];
  say("sum %d", sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < most; ++i) {
    one[2 * i] = one[2 * i + 1] = i + 1;
    counts[i] = each, places[i] = each * i, bytes[i] = each * i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  at_root();
  everywhere();
  right();
  end();
}
