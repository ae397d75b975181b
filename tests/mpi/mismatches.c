/* Ranks that call different collectives, or the same one with different arguments, as the first
   argument says. With "returns" after it the error is returned, and ranks print its class; with
   "begun" they print when they begin. */
#include "say.h"

static void check(const char* what, int code) {
  int class = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_class(code, &class);
  say("%s: %s", what,
      class == MPI_ERR_NOT_SAME ? "not the same" : class == MPI_ERR_TRUNCATE ? "truncated" : "other");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* how = argv[1];
  const MPI_Comm world = MPI_COMM_WORLD;
  const int last = rank == size - 1;
  int one[64] = {rank}, many[64 * 8];
  MPI_Request later;
  if (argc > 2 && !strcmp(argv[2], "begun")) say_begun();
  if (argc > 2 && !strcmp(argv[2], "returns")) MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  if (!strcmp(how, "functions")) {
    if (last) MPI_Barrier(world);
    else check("allreduce", MPI_Allreduce(one, many, 1, MPI_INT, MPI_SUM, world));
  } else if (!strcmp(how, "roots")) {
    check("bcast", MPI_Bcast(one, 1, MPI_INT, last ? size - 1 : 0, world));
  } else if (!strcmp(how, "reduce roots")) {
    MPI_Reduce(one, many, 1, MPI_INT, MPI_SUM, last ? size - 1 : 0, world);
  } else if (!strcmp(how, "operations")) {
    MPI_Allreduce(one, many, 1, MPI_INT, last ? MPI_MAX : MPI_SUM, world);
  } else if (!strcmp(how, "fewer")) {
    check("bcast", MPI_Bcast(one, last ? 1 : 2, MPI_INT, size - 1, world));
  } else if (!strcmp(how, "more")) {
    check("bcast", MPI_Bcast(one, last ? 2 : 1, MPI_INT, size - 1, world));
  } else if (!strcmp(how, "types")) {
    MPI_Allreduce(one, many, 1, last ? MPI_DOUBLE : MPI_INT, MPI_SUM, world);
  } else if (!strcmp(how, "blocks")) {
    MPI_Gather(one, last ? 3 : 2, MPI_INT, many, 2, MPI_INT, 0, world);
  } else if (!strcmp(how, "long")) {
    /* The root's other messages match no receive, and the root must not wait for them. */
    const int count = 1 << 20;
    int* data = calloc((size_t)count, sizeof *data);
    MPI_Allreduce(MPI_IN_PLACE, data, last ? count : count / 2, MPI_INT, MPI_SUM, world);
  } else if (!strcmp(how, "later")) {
    if (last) MPI_Ibarrier(world, &later);
    else MPI_Ibcast(one, 1, MPI_INT, size - 1, world, &later);
    MPI_Wait(&later, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "communicators")) {
    MPI_Comm made;
    if (last) MPI_Comm_split(world, 0, 0, &made);
    else MPI_Comm_dup(world, &made);
  } else if (!strcmp(how, "order")) {
    /* Every collective is called by all ranks, but one rank calls them in the opposite order. */
    for (int i = 0; i < 2; ++i)
      if ((i == 0) == last) MPI_Bcast(one, 4, MPI_INT, 0, world);
      else MPI_Reduce(one, many, 4, MPI_INT, MPI_SUM, 0, world);
  } else if (!strcmp(how, "once more")) {
    /* The last rank omits one broadcast, so its broadcasts meet the others' previous ones. */
    for (int i = last; i < 3; ++i) MPI_Bcast(one, 1, MPI_INT, 0, world);
  }
  MPI_Barrier(world);
  end();
}
