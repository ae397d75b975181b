/* Intercommunicators: their messages, communicators made of them, and collectives, in which each
   group gets what the other group gives. The first group is the first one or two ranks of the job,
   and the second group is the others. */
#include "say.h"

enum { most = 24 };

static MPI_Comm both, own;
static int is_first, mine, others;
static int from[most], into[most];

static void reset(void) {
  for (int i = 0; i < most; ++i) from[i] = 1000 * rank + i, into[i] = -1;
}
static void show(const char* name) {
  say("%s %llx", name, (unsigned long long)digest(into, sizeof into));
}
/* Returns the root argument of this rank if the root is the last rank of the first group. */
static int root(void) {
  int all;
  MPI_Comm_size(both, &all);
  if (!is_first) return others - 1;
  return mine == all - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void describe(const char* name, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    say("%s: none", name);
    return;
  }
  int inter, at, of, compared, members[16], all, sum = 0;
  MPI_Comm_test_inter(comm, &inter);
  MPI_Comm_rank(comm, &at);
  MPI_Comm_size(comm, &of);
  MPI_Comm_compare(comm, inter ? both : MPI_COMM_WORLD, &compared);
  MPI_Group group, world;
  if (inter)
    MPI_Comm_remote_group(comm, &group);
  else
    MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &all);
  const int ranks[] = {0, 1, 2, 3};
  MPI_Group_translate_ranks(group, all, ranks, world, members);
  for (int i = 0; i < all; ++i) sum = 10 * sum + members[i] + 1;
  say("%s: %d, %d of %d, others %d, compared %d", name, inter, at, of, sum, compared);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

static void messages(void) {
  MPI_Status status;
  MPI_Request request;
  reset();
  /* Every rank of the second group writes to every rank of the first, and gets one answer. */
  if (is_first) {
    for (int i = 0; i < others; ++i) {
      MPI_Probe(i, MPI_ANY_TAG, both, &status);
      MPI_Recv(&into[i], 1, MPI_INT, i, MPI_ANY_TAG, both, MPI_STATUS_IGNORE);
      say("from %d tag %d: %d", status.MPI_SOURCE, status.MPI_TAG, into[i]);
    }
    if (mine == 0)
      for (int i = 0; i < others; ++i) MPI_Send(&into[i], 1, MPI_INT, i, 3, both);
  } else {
    for (int i = 0; i < others; ++i) {
      MPI_Isend(&from[i], 1, MPI_INT, i, 10 + mine, both, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(into, 1, MPI_INT, MPI_ANY_SOURCE, 3, both, &status);
    say("answer of %d: %d", status.MPI_SOURCE, into[0]);
  }
}

static void blocks(void) {
  int counts[4], places[4], bytes[4];
  MPI_Datatype types[4];
  for (int i = 0; i < 4; ++i)
    counts[i] = i + 1, places[i] = 5 * i, bytes[i] = 5 * i * (int)sizeof(int), types[i] = MPI_INT;
  const int at = root();
  reset();
  MPI_Bcast(at == MPI_ROOT ? from : into, 3, MPI_INT, at, both);
  show("broadcast");
  reset();
  MPI_Gather(from, 2, MPI_INT, into, 2, MPI_INT, at, both);
  show("gather");
  reset();
  MPI_Gatherv(from, mine + 1, MPI_INT, into, counts, places, MPI_INT, at, both);
  show("gatherv");
  reset();
  MPI_Scatter(from, 2, MPI_INT, into, 2, MPI_INT, at, both);
  show("scatter");
  reset();
  MPI_Scatterv(from, counts, places, MPI_INT, into, mine + 1, MPI_INT, at, both);
  show("scatterv");
  reset();
  MPI_Allgather(from, 3, MPI_INT, into, 3, MPI_INT, both);
  show("allgather");
  reset();
  MPI_Allgatherv(from, mine + 1, MPI_INT, into, counts, places, MPI_INT, both);
  show("allgatherv");
  reset();
  MPI_Alltoall(from, 2, MPI_INT, into, 2, MPI_INT, both);
  show("alltoall");
  reset();
  int out[4];
  for (int i = 0; i < 4; ++i) out[i] = mine + 1;
  MPI_Alltoallv(from, out, places, MPI_INT, into, counts, places, MPI_INT, both);
  show("alltoallv");
  reset();
  MPI_Alltoallw(from, out, bytes, types, into, counts, bytes, types, both);
  show("alltoallw");
}

/* Only ranks that contribute or receive values describe them. */
static void sums(void) {
  const int at = root();
  int counts[4], all;
  MPI_Comm_size(both, &all);
  MPI_Barrier(both);
  reset();
  MPI_Reduce(from, into, 3, MPI_INT, MPI_SUM, at, both);
  show("reduce");
  reset();
  MPI_Allreduce(from, into, 5, MPI_INT, MPI_MAX, both);
  show("allreduce");
  reset();
  MPI_Reduce_scatter_block(from, into, others, MPI_INT, MPI_SUM, both);
  show("reduce_scatter_block");
  reset();
  for (int i = 0; i < all; ++i) counts[i] = i + 1 == all ? 12 - i : 1;
  MPI_Reduce_scatter(from, into, counts, MPI_INT, MPI_MIN, both);
  show("reduce_scatter");
}

/* Concurrent collectives do not mix. */
static void later(void) {
  MPI_Request requests[4];
  MPI_Comm twin;
  int part[4] = {-1, -1, -1, -1}, sum = -1, at_root = -1;
  MPI_Comm_idup(both, &twin, &requests[0]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both, &requests[1]);
  MPI_Iallgather(&rank, 1, MPI_INT, part, 1, MPI_INT, both, &requests[2]);
  MPI_Ireduce(&rank, &at_root, 1, MPI_INT, MPI_SUM, root(), both, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  say("later %d, %d %d %d %d, %d", sum, part[0], part[1], part[2], part[3], at_root);
  describe("twin", twin);
  MPI_Comm_free(&twin);
}

static void communicators(void) {
  MPI_Comm made;
  MPI_Group group, some;
  MPI_Comm_dup(both, &made);
  describe("duplicate", made);
  MPI_Comm_free(&made);
  MPI_Comm_split(both, mine % 2, -mine, &made);
  describe("split", made);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Comm_split(both, mine == 0 ? 4 : MPI_UNDEFINED, 0, &made);
  describe("first ranks", made);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Comm_group(both, &group);
  MPI_Group_incl(group, 1, (int[]){0}, &some);
  MPI_Comm_create(both, some, &made);
  describe("created", made);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_free(&some);
  for (int high = 0; high < 4; ++high) {
    if (high == 3) continue;
    MPI_Intercomm_merge(both, high == 0 ? is_first : high == 1 ? !is_first : 1, &made);
    describe("merged", made);
    MPI_Allreduce(MPI_IN_PLACE, (int[]){1}, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
  }
}

static void mistakes(void) {
  int code, class, number = 0;
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#define CLASS(call)              \
  code = (call);                 \
  MPI_Error_class(code, &class); \
  say(#call " %d", class)
  CLASS(MPI_Send(&number, 1, MPI_INT, others, 0, both));
  CLASS(MPI_Bcast(&number, 1, MPI_INT, others, both));
  CLASS(MPI_Scan(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, both));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  is_first = rank < size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &own);
  /* The last rank of each group is its leader. */
  MPI_Intercomm_create(own, is_first ? size / 2 - 1 : size - size / 2 - 1, MPI_COMM_WORLD,
                       is_first ? size - 1 : size / 2 - 1, 5, &both);
  MPI_Comm_rank(both, &mine);
  MPI_Comm_remote_size(both, &others);
  describe("both", both);
  messages();
  blocks();
  sums();
  later();
  communicators();
  mistakes();
  MPI_Comm_free(&own);
  MPI_Comm_free(&both);
  end();
}
