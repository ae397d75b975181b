/* Programs whose calls are recorded and replayed: messages to and fro, a halo, sums, all that a
 * recording knows, and something that it does not. */
#include <pthread.h>

#include "say.h"

static char out[1 << 17], in[8][1 << 17];

static void to_and_fro(void) {
  const int sizes[] = {8, 1 << 17};
  for (int i = 0; i < 4 && rank < 2; ++i) {
    if (rank == 0) MPI_Send(out, sizes[i % 2], MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in[0], sizes[i % 2], MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, sizes[i % 2], MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
}

static volatile double work;
static void compute(int times) {
  for (int i = 0; i < times; ++i) work += i;
}

/* Persistent messages along two axes of a periodic grid, and a sum, as in a solver. */
static void halo(int first, int second) {
  const int extents[] = {first, second}, periodic[] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &grid);
  MPI_Request all[8];
  for (int axis = 0; axis < 2; ++axis) {
    int back, forward;
    MPI_Cart_shift(grid, axis, 1, &back, &forward);
    const int bytes = axis == 0 ? 4000 : 40000;
    MPI_Request* const four = all + 4 * axis;
    MPI_Recv_init(in[2 * axis], bytes, MPI_CHAR, back, 0, grid, four);
    MPI_Recv_init(in[2 * axis + 1], bytes, MPI_CHAR, forward, 1, grid, four + 1);
    MPI_Send_init(out, bytes, MPI_CHAR, forward, 0, grid, four + 2);
    MPI_Send_init(out, bytes, MPI_CHAR, back, 1, grid, four + 3);
  }
  for (int step = 0; step < 5; ++step) {
    double sum = 0, mine = rank;
    MPI_Startall(8, all);
    compute(20000);
    MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    compute(10000);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 8; ++i) MPI_Request_free(&all[i]);
  MPI_Comm_free(&grid);
}

static void sums(void) {
  static double from[3000], to[3000];
  for (int i = 0; i < 5; ++i)
    MPI_Allreduce(from, to, i % 2 ? 3000 : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void messages(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request two[2];
  MPI_Status status;
  int flag = 0, index, number, places[2];
  MPI_Irecv(in[0], 5000, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &two[0]);
  MPI_Issend(out, 5000, MPI_CHAR, next, 3, MPI_COMM_WORLD, &two[1]);
  MPI_Waitany(2, two, &index, &status);
  MPI_Waitsome(2, two, &number, places, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out, 70000, MPI_CHAR, next, 4, in[0], 70000, MPI_CHAR, before, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Isend(out, 7, MPI_INT, next, 5, MPI_COMM_WORLD, &two[0]);
  MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
  MPI_Recv(in[0], 7, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&two[0], MPI_STATUS_IGNORE);
  MPI_Recv_init(in[0], 9, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &two[0]);
  MPI_Start(&two[0]);
  MPI_Send(out, 9, MPI_CHAR, next, 6, MPI_COMM_WORLD);
  MPI_Wait(&two[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&two[0]);
  MPI_Sendrecv_replace(in[0], 100, MPI_CHAR, next, 7, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  (void)flag;
}

static void collectives(MPI_Comm comm) {
  int ranks, counts[16], places[16];
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 100 * (i + 1);
    places[i] = 1000 * i;
  }
  int self;
  MPI_Comm_rank(comm, &self);
  MPI_Request one;
  MPI_Barrier(comm);
  MPI_Bcast(out, 30000, MPI_CHAR, 1, comm);
  MPI_Reduce(out, in[0], 700, MPI_INT, MPI_MAX, 0, comm);
  MPI_Scan(out, in[0], 10, MPI_INT, MPI_MAX, comm);
  MPI_Exscan(out, in[0], 10, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter_block(out, in[0], 10, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter(out, in[0], counts, MPI_INT, MPI_MAX, comm);
  MPI_Gather(out, 100, MPI_INT, in[0], 100, MPI_INT, 1, comm);
  MPI_Scatter(out, 100, MPI_INT, in[0], 100, MPI_INT, 1, comm);
  MPI_Allgather(out, 100, MPI_INT, in[0], 100, MPI_INT, comm);
  MPI_Alltoall(out, 100, MPI_INT, in[0], 100, MPI_INT, comm);
  MPI_Gatherv(out, counts[self], MPI_INT, in[0], counts, places, MPI_INT, 0, comm);
  MPI_Scatterv(out, counts, places, MPI_INT, in[0], counts[self], MPI_INT, 0, comm);
  MPI_Allgatherv(out, counts[self], MPI_INT, in[0], counts, places, MPI_INT, comm);
  for (int i = 0; i < ranks; ++i) counts[i] = 300;
  MPI_Alltoallv(out, counts, places, MPI_INT, in[0], counts, places, MPI_INT, comm);
  MPI_Iallreduce(out, in[0], 40, MPI_INT, MPI_MAX, comm, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
}

static void communicators(void) {
  MPI_Comm again, half, grid, line;
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  collectives(again);
  MPI_Comm_split(again, rank < 2 ? 0 : MPI_UNDEFINED, -rank, &half);
  if (half != MPI_COMM_NULL) {
    collectives(half);
    MPI_Comm_free(&half);
  }
  const int extents[] = {2, 2}, periodic[] = {1, 1}, remains[] = {0, 1};
  MPI_Cart_create(again, 2, extents, periodic, 1, &grid);
  MPI_Cart_sub(grid, remains, &line);
  collectives(line);
  MPI_Group all, some;
  const int ranks[] = {3, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, ranks, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &half);
  if (half != MPI_COMM_NULL) MPI_Barrier(half);
  if (rank % 2) {
    MPI_Comm other;
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &other);
    MPI_Barrier(other);
  }
}

/* The first send is waited for before what the other rank sends after it, the second behind that.
 */
static void waits(void) {
  MPI_Request two[2], look;
  if (rank == 0) {
    MPI_Isend(out, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &two[0]);
    MPI_Isend(out, 1 << 17, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &two[1]);
    MPI_Wait(&two[0], MPI_STATUS_IGNORE);
    MPI_Recv(in[0], 100, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&two[1], MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in[0], 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 100, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    MPI_Recv(in[0], 1 << 17, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(in[0], 50, MPI_CHAR, 1 - rank, 4, MPI_COMM_WORLD, &look);
  if (rank == 0) MPI_Send(out, 50, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
  for (int flag = 0; !flag;) MPI_Request_get_status(look, &flag, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, 50, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
  MPI_Request_free(&look);
}

static void errors(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(out, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(in[0], 10, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void something_else(void) {
  MPI_Win window;
  MPI_Win_create(out, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_free(&window);
}

static int argc;
static char** argv;

static void* run(void* nothing) {
  begin(&argc, &argv);
  const char* const what = argc > 1 ? argv[1] : "all";
  const int all = !strcmp(what, "all");
  if (all || !strcmp(what, "to_and_fro")) to_and_fro();
  if (!strcmp(what, "halo")) halo(atoi(argv[2]), atoi(argv[3]));
  if (all || !strcmp(what, "sums")) sums();
  if (all) {
    messages();
    communicators();
  }
  if (!strcmp(what, "waits")) waits();
  if (!strcmp(what, "errors")) errors();
  if (!strcmp(what, "something_else")) something_else();
  end();
  return nothing;
}

int main(int count, char** words) {
  argc = count;
  argv = words;
  if (argc < 3 || strcmp(argv[2], "in_a_thread")) {
    run(NULL);
    return 0;
  }
  pthread_t only;
  pthread_create(&only, NULL, run, NULL);
  return pthread_join(only, NULL);
}
