/* Communicators that ranks make in different orders or with different partners, attributes whose
   key is freed more than once, and details on which programs for other MPIs rely. */
#include "say.h"

/* If ranks had not agreed on two identities, messages of both communicators would mix. */
static void duplicates(void) {
  MPI_Comm parent[2], made[2];
  MPI_Request request[2];
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parent[i]);
  const int first = rank % 2;
  MPI_Comm_idup(parent[first], &made[first], &request[0]);
  MPI_Comm_idup(parent[1 - first], &made[1 - first], &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  int out[2] = {10 + rank, 20 + rank}, in[2];
  for (int i = 0; i < 2; ++i) MPI_Isend(&out[i], 1, MPI_INT, next(1), 1, made[i], &request[i]);
  for (int i = 1; i >= 0; --i)
    MPI_Recv(&in[i], 1, MPI_INT, next(-1), 1, made[i], MPI_STATUS_IGNORE);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  say("duplicates %d %d", in[0], in[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_free(&made[i]);
    MPI_Comm_free(&parent[i]);
  }
}

/* A rank has different ranks in the groups of a ring, all of which have the same tag. */
static void pairs(void) {
  MPI_Group world;
  int sum[2] = {0, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int at = 0; at < size; ++at) {
    const int members[2] = {(at + 1) % size, at};
    if (rank != members[0] && rank != members[1]) continue;
    MPI_Group pair;
    MPI_Comm comm;
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Comm_create_group(MPI_COMM_WORLD, pair, 5, &comm);
    MPI_Allreduce(&rank, &sum[rank == at], 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&pair);
  }
  MPI_Group_free(&world);
  say("pairs %d %d", sum[0], sum[1]);
}

static int ended;
static int end_key(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)value, (void)extra;
  ++ended;
  return MPI_Comm_free_keyval(&key);
}
static void keys(void) {
  MPI_Comm twin;
  int key, again, flag, value = 7, *found = NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  MPI_Keyval_create(MPI_NULL_COPY_FN, end_key, &key, NULL);
  again = key;
  MPI_Attr_put(twin, key, &value);
  MPI_Keyval_free(&key);
  MPI_Attr_get(twin, again, &found, &flag);
  say("key freed %d, value %d", key == MPI_KEYVAL_INVALID, flag ? *found : -1);
  MPI_Comm_free(&twin);
  say("ended %d", ended);
}

static void small(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status = {.MPI_ERROR = 5};
  int flag, count, two[4] = {1, 2, 3, 4}, back[4];
  MPI_Request_get_status(none, &flag, &status);
  say("no request %d %d", flag, status.MPI_ERROR);
  MPI_Sendrecv(two, 2, MPI_2INT, 0, 0, back, 2, MPI_2INT, 0, 0, MPI_COMM_SELF, &status);
  MPI_Get_elements(&status, MPI_2INT, &count);
  say("elements of pairs %d", count);
  MPI_Datatype empty;
  MPI_Win win;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Win_create(two, sizeof two, sizeof *two, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(back, 1, empty, 0, 0, 1, empty, MPI_SUM, win);
  MPI_Win_fence(0, win);
  say("after no elements %d", two[0]);
  MPI_Win_free(&win);
  MPI_Type_free(&empty);
  /* The product of the extents must be the number of ranks, however many divisors that has. */
  int extents[5] = {0};
  MPI_Dims_create(720720, 5, extents);
  say("extents %d", extents[0] * extents[1] * extents[2] * extents[3] * extents[4]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  say("without a communicator %d", MPI_Type_contiguous(-1, MPI_INT, &empty) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  MPI_Session session;
  MPI_Group group;
  begin(&argc, &argv);
  duplicates();
  pairs();
  keys();
  small();
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  say("set %d", MPI_Group_from_session_pset(session, "mpi://self", &group) == MPI_SUCCESS);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  end();
}
