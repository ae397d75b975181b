/* Communicators, groups and grids, and what MPI returns about them. */
#include "say.h"

static int sum_over(MPI_Comm comm) {
  int mine = 1 << rank, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  return all;
}

static void show(const char* name, MPI_Comm comm) {
  int mine, of, result;
  if (comm == MPI_COMM_NULL) {
    say("%s: none", name);
    return;
  }
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &of);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  say("%s: %d of %d members %x compared %d", name, mine, of, sum_over(comm), result);
}

/* Messages of two communicators with the same ranks and tags never match each other. */
static void kept_apart(void) {
  MPI_Comm twin;
  int out[2] = {1, 2}, in[2];
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  show("duplicate", twin);
  MPI_Isend(&out[0], 1, MPI_INT, next(1), 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out[1], 1, MPI_INT, next(1), 4, twin, &requests[1]);
  MPI_Recv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, MPI_STATUS_IGNORE);
  MPI_Recv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("apart %d %d", in[0], in[1]);
  MPI_Comm_free(&twin);
  say("freed %d", twin == MPI_COMM_NULL);
}

static void splits(void) {
  MPI_Comm part, again;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  show("parity, backwards", part);
  MPI_Comm_split(part, 0, rank, &again);
  show("parity, forwards", again);
  MPI_Comm_free(&part);
  MPI_Comm_free(&again);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 3, 0, &part);
  show("all but the first", part);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  show("shared", part);
  MPI_Comm_free(&part);
}

static void show_group(const char* name, MPI_Group group) {
  MPI_Group world;
  int mine, of, members = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_rank(group, &mine);
  MPI_Group_size(group, &of);
  for (int i = 0; i < of; ++i) {
    int in_world;
    MPI_Group_translate_ranks(group, 1, &i, world, &in_world);
    members = 10 * members + in_world + 1;
  }
  say("%s: %d of %d: %d", name, mine == MPI_UNDEFINED ? -1 : mine, of, members);
  MPI_Group_free(&world);
}

static void groups(void) {
  MPI_Group world, one, other, made;
  MPI_Comm comm;
  int result;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, (int[]){size - 1, 0}, &one);
  show_group("included", one);
  MPI_Group_excl(world, 1, (int[]){0}, &other);
  show_group("excluded", other);
  MPI_Group_union(one, other, &made);
  show_group("union", made);
  MPI_Group_compare(made, world, &result);
  say("compared %d", result == MPI_SIMILAR);
  MPI_Group_free(&made);
  MPI_Group_intersection(one, other, &made);
  show_group("intersection", made);
  MPI_Group_free(&made);
  MPI_Group_difference(other, one, &made);
  show_group("difference", made);
  MPI_Group_free(&made);
  MPI_Group_range_incl(world, 1, (int[][3]){{size - 1, 0, -2}}, &made);
  show_group("range", made);
  MPI_Group_free(&made);
  MPI_Group_difference(one, one, &made);
  say("empty %d", made == MPI_GROUP_EMPTY);
  MPI_Comm_create(MPI_COMM_WORLD, one, &comm);
  show("of a group", comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Group_free(&one);
  MPI_Group_free(&other);
  MPI_Group_free(&world);
}

static void grids(void) {
  int extents[2] = {0, 0}, periodic[2] = {1, 0}, at[2], from, to, kind, dimensions;
  MPI_Comm grid, line;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &grid);
  show("grid", grid);
  MPI_Topo_test(grid, &kind);
  MPI_Cartdim_get(grid, &dimensions);
  MPI_Cart_get(grid, 2, extents, periodic, at);
  say("kind %d dimensions %d extents %d %d periodic %d %d at %d %d", kind == MPI_CART, dimensions,
      extents[0], extents[1], periodic[0], periodic[1], at[0], at[1]);
  for (int direction = 0; direction < 2; ++direction)
    for (int steps = -2; steps <= 1; ++steps) {
      MPI_Cart_shift(grid, direction, steps, &from, &to);
      say("shift %d by %d: %d %d", direction, steps, from == MPI_PROC_NULL ? -1 : from,
          to == MPI_PROC_NULL ? -1 : to);
    }
  for (int r = 0; r < size; ++r) {
    MPI_Cart_coords(grid, r, 2, at);
    at[0] += 2 * extents[0];
    MPI_Cart_rank(grid, at, &to);
    if (to != r) say("rank %d is not at its coordinates", r);
  }
  MPI_Cart_sub(grid, (int[]){1, 0}, &line);
  show("line", line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size - 1}, (int[]){1}, 0, &grid);
  /* MPICH 5.0.2 calls this communicator congruent to the larger world. */
  say("smaller grid %d members %x", grid != MPI_COMM_NULL,
      grid == MPI_COMM_NULL ? 0 : sum_over(grid));
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  if (rank > 0) return;
  for (int nodes = 1; nodes <= 1024; nodes = nodes * 3 / 2 + 1)
    for (int d = 1; d <= 4; ++d) {
      int chosen[4] = {0, 0, 0, 0};
      MPI_Dims_create(nodes, d, chosen);
      int all = 1, falls = 1;
      for (int i = 0; i < d; ++i) all *= chosen[i], falls &= i == 0 || chosen[i] <= chosen[i - 1];
      say("%d in %d: %d %d", nodes, d, all == nodes, falls);
    }
  /* Among equally near factors, the expected ones have the largest smallest extents. */
  const int known[][2] = {{5616, 4}, {440640, 3}, {839664, 6}, {997920, 4}, {735134400, 5}};
  for (int i = 0; i < 5; ++i) {
    int chosen[6] = {0, 0, 0, 0, 0, 0};
    MPI_Dims_create(known[i][0], known[i][1], chosen);
    say("%d: %d %d %d %d %d %d", known[i][0], chosen[0], chosen[1], chosen[2], chosen[3], chosen[4],
        chosen[5]);
  }
}

static int handled;
static void handler(MPI_Comm* comm, int* code, ...) {
  int class;
  MPI_Error_class(*code, &class);
  handled = class + 1000 * (*comm == MPI_COMM_WORLD);
}

static void errors(void) {
  MPI_Errhandler mine, same;
  int value = 0, code, class, length, flag, *bound;
  char words[MPI_MAX_ERROR_STRING];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#define CLASS(call)                       \
  code = (call);                          \
  MPI_Error_class(code, &class);          \
  MPI_Error_string(code, words, &length); \
  say(#call " %d %d", class, length > 0 && length == (int)strlen(words))
  CLASS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
  CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  CLASS(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
  CLASS(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
  CLASS(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
  CLASS(MPI_Barrier(MPI_COMM_WORLD));
  char four[4], two[2];
  MPI_Request request;
  MPI_Isend(four, 4, MPI_CHAR, next(1), 0, MPI_COMM_WORLD, &request);
  CLASS(MPI_Recv(two, 2, MPI_CHAR, next(-1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  mine = MPI_ERRHANDLER_NULL;
  CLASS(MPI_Errhandler_free(&mine));
  CLASS(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_ARG));
  CLASS(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_ARG));
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &same);
  say("the same handler %d", same == mine);
  MPI_Errhandler_free(&mine);
  MPI_Errhandler_free(&same);
  MPI_Send(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
  say("handled %d", handled);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &mine);
  say("fatal again %d", mine == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  say("tags %d", flag && *bound >= 32767);
}

int main(int argc, char** argv) {
  int flag, major, minor, length;
  char name[MPI_MAX_PROCESSOR_NAME];
  void* memory;
  MPI_Initialized(&flag);
  const int before = flag;
  begin(&argc, &argv);
  MPI_Initialized(&flag);
  MPI_Get_version(&major, &minor);
  MPI_Get_processor_name(name, &length);
  say("initialized %d %d version %d.%d name %d", before, flag, major, minor,
      length == (int)strlen(name));
  const double start = MPI_Wtime();
  say("time %d", MPI_Wtime() >= start);
  MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
  fill(memory, 1000, 1);
  MPI_Free_mem(memory);
  kept_apart();
  splits();
  groups();
  grids();
  errors();
  end();
}
