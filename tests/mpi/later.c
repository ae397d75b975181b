/* Nonblocking collectives, several at once, and persistent collectives, beside other messages. */
#include "say.h"

enum { count = 3000, together = 5 };

static int from[together][count], to[together][8 * count];

static void reset(void) {
  for (int k = 0; k < together; ++k) {
    for (int i = 0; i < count; ++i) from[k][i] = 100000 * k + 1000 * rank + i % 977;
    memset(to[k], 0, sizeof to[k]);
  }
}
#define SHOW(name, k) say(name " %llx", (unsigned long long)digest(to[k], sizeof to[k]))

/* The collectives complete in another order than they start, while a message goes around. */
static void at_once(void) {
  MPI_Request all[together + 2];
  int token = rank, heard = -1;
  reset();
  MPI_Iallreduce(from[0], to[0], count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
  memcpy(to[1], from[1], sizeof from[1]);
  MPI_Ibcast(to[1], count, MPI_INT, size - 1, MPI_COMM_WORLD, &all[1]);
  MPI_Iallgather(from[2], count, MPI_INT, to[2], count, MPI_INT, MPI_COMM_WORLD, &all[2]);
  MPI_Ireduce(from[3], to[3], count, MPI_INT, MPI_MAX, size / 2, MPI_COMM_WORLD, &all[3]);
  MPI_Ialltoall(from[4], count / size, MPI_INT, to[4], count / size, MPI_INT, MPI_COMM_WORLD,
                &all[4]);
  MPI_Irecv(&heard, 1, MPI_INT, next(-1), 3, MPI_COMM_WORLD, &all[5]);
  MPI_Isend(&token, 1, MPI_INT, next(1), 3, MPI_COMM_WORLD, &all[6]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = together + 1; k >= 0; --k) MPI_Wait(&all[k], MPI_STATUS_IGNORE);
  say("heard %d", heard);
  for (int k = 0; k < together; ++k) SHOW("at once", k);
}

/* A collective that a test has completed needs no wait. */
static void tested(void) {
  MPI_Request one;
  int flag = 0;
  reset();
  MPI_Iscan(from[0], to[0], count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &one);
  while (!flag) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  SHOW("iscan", 0);
  MPI_Ibarrier(MPI_COMM_WORLD, &one);
  for (flag = 0; !flag;) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  say("ibarrier %d", one == MPI_REQUEST_NULL);
}

/* The datatype and the operation are freed while the collective goes on. */
static void multiply(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] = 3 * ((int*)in)[i] + ((int*)inout)[i];
}
static void freed(void) {
  MPI_Request both[2];
  MPI_Datatype column;
  MPI_Op op;
  reset();
  MPI_Type_vector(count / 3, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Op_create(multiply, 0, &op);
  MPI_Igather(from[0], 1, column, to[0], count / 3, MPI_INT, 0, MPI_COMM_WORLD, &both[0]);
  MPI_Iallreduce(from[1], to[1], count, MPI_INT, op, MPI_COMM_WORLD, &both[1]);
  MPI_Type_free(&column);
  MPI_Op_free(&op);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  SHOW("freed", 0);
  SHOW("freed", 1);
}

static void persistent(void) {
  MPI_Request all[4];
  reset();
  MPI_Allreduce_init(from[0], to[0], count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &all[0]);
  MPI_Bcast_init(to[1], count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &all[1]);
  MPI_Gather_init(from[2], 4, MPI_INT, to[2], 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                  &all[2]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &all[3]);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < count; ++i) from[0][i] += turn, from[2][i] *= 2;
    if (rank == 0) memcpy(to[1], from[0], sizeof from[0]);
    MPI_Startall(4, all);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 3; ++k) SHOW("persistent", k);
  }
  for (int k = 0; k < 4; ++k) MPI_Request_free(&all[k]);
}

/* Each rank sends numbers with a type of its own to every other rank, and uses large counts. */
static void types(void) {
  int counts[8], places[8];
  MPI_Count large[8];
  MPI_Aint large_places[8];
  MPI_Datatype mine[8], theirs[8];
  MPI_Request one;
  reset();
  for (int r = 0; r < size; ++r) {
    counts[r] = 10;
    places[r] = 400 * r;
    large[r] = 5 + rank + r;
    large_places[r] = 100 * r;
    MPI_Type_vector(1 + r % 2, 2, 3, MPI_INT, &mine[r]);
    MPI_Type_vector(1 + rank % 2, 2, 5, MPI_INT, &theirs[r]);
    MPI_Type_commit(&mine[r]);
    MPI_Type_commit(&theirs[r]);
  }
  MPI_Alltoallw(from[0], counts, places, mine, to[0], counts, places, theirs, MPI_COMM_WORLD);
  MPI_Ialltoallw(from[1], counts, places, mine, to[1], counts, places, theirs, MPI_COMM_WORLD,
                 &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Alltoallv_c(from[2], large, large_places, MPI_INT, to[2], large, large_places, MPI_INT,
                  MPI_COMM_WORLD);
  for (int k = 0; k < 3; ++k) SHOW("types", k);
  for (int r = 0; r < size; ++r) MPI_Type_free(&mine[r]), MPI_Type_free(&theirs[r]);
}

static void duplicated(void) {
  MPI_Comm made[2];
  MPI_Request both[2];
  int result, sum = rank, all;
  MPI_Comm_idup(MPI_COMM_WORLD, &made[0], &both[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &made[1], &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Comm_compare(made[0], made[1], &result);
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, made[1]);
  say("idup %d %d", result == MPI_CONGRUENT, all);
  MPI_Comm_free(&made[0]);
  MPI_Comm_free(&made[1]);
}

/* A duplicate has the hints passed to it, and none of its parent's. */
static int told(MPI_Comm comm, const char* key) {
  MPI_Info hints;
  char value[8] = "";
  int bytes = sizeof value, there;
  MPI_Comm_get_info(comm, &hints);
  MPI_Info_get_string(hints, key, &bytes, value, &there);
  MPI_Info_free(&hints);
  return there && strcmp(value, "true") == 0;
}
static void hinted(void) {
  MPI_Comm parent, made[3];
  MPI_Request both[2];
  MPI_Info hints;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  MPI_Comm_set_info(parent, hints);
  MPI_Info_delete(hints, "mpi_assert_no_any_tag");
  MPI_Info_set(hints, "mpi_assert_exact_length", "true");
  MPI_Comm_idup(parent, &made[0], &both[0]);
  MPI_Comm_idup_with_info(parent, hints, &made[1], &both[1]);
  MPI_Info_free(&hints);
  MPI_Comm_dup(parent, &made[2]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) {
    say("hinted %d %d %d", i, told(made[i], "mpi_assert_no_any_tag"),
        told(made[i], "mpi_assert_exact_length"));
    MPI_Comm_free(&made[i]);
  }
  MPI_Comm_free(&parent);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  at_once();
  tested();
  freed();
  persistent();
  types();
  duplicated();
  hinted();
  end();
}
