/* Messages between two ranks and among all: order, wildcards, long and unexpected messages,
   requests. */
#include "say.h"

static const size_t sizes[] = {0, 1, 8, 1000, 8192, 20000, 70001, 1 << 20, 3000003};

/* Messages of every size to the next rank. They are received before they arrive, after, and with a
   probe. */
static void every_size(int late) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char *out = malloc(sizes[i] + 1), *in = calloc(sizes[i] + 1, 1);
    MPI_Request request;
    MPI_Status status;
    int count;
    fill(out, sizes[i], (unsigned)(rank + i));
    MPI_Isend(out, (int)sizes[i], MPI_BYTE, next(1), (int)i, MPI_COMM_WORLD, &request);
    if (late) {
      MPI_Probe(next(-1), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &count);
      say("probe %d bytes tag %d from %d", count, status.MPI_TAG, status.MPI_SOURCE);
    }
    MPI_Recv(in, (int)sizes[i], MPI_BYTE, MPI_ANY_SOURCE, (int)i, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_BYTE, &count);
    say("got %d bytes tag %d from %d: %llx null %d", count, status.MPI_TAG, status.MPI_SOURCE,
        (unsigned long long)digest(in, sizes[i]), request == MPI_REQUEST_NULL);
    free(out);
    free(in);
    /* Only one size is in flight at a time, since the receive takes any source. */
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Many messages, whose tags are received in reverse order. Messages of one tag stay in order. */
static void order(void) {
  enum { tags = 5, each = 40 };
  int values[tags * each];
  MPI_Request requests[tags * each];
  for (int i = 0; i < tags * each; ++i) {
    values[i] = 1000 * rank + i;
    MPI_Isend(&values[i], 1, MPI_INT, next(1), i % tags, MPI_COMM_WORLD, &requests[i]);
  }
  for (int tag = tags - 1; tag >= 0; --tag)
    for (int i = 0; i < each; ++i) {
      int value;
      MPI_Recv(&value, 1, MPI_INT, next(-1), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (value != 1000 * next(-1) + i * tags + tag) say("out of order: %d", value);
    }
  MPI_Waitall(tags * each, requests, MPI_STATUSES_IGNORE);
  say("order is kept");
}

/* Rank 0 receives from all ranks in any order, twice, and identifies each sender by the status. */
static void any_source(void) {
  if (rank > 0) {
    for (int i = 0; i < 2; ++i) {
      int value[2] = {rank, i};
      MPI_Ssend(value, 2, MPI_INT, 0, 7 + i, MPI_COMM_WORLD);
    }
    return;
  }
  int seen = 0;
  for (int i = 0; i < 2 * (size - 1); ++i) {
    int value[2];
    MPI_Status status;
    MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_SOURCE != value[0] || status.MPI_TAG != 7 + value[1]) say("wrong status");
    seen += 10 * value[0] + value[1];
  }
  say("heard %d", seen);
}

static void requests(void) {
  double in[4] = {0}, out[4] = {rank + 0.5, rank + 1.5, rank + 2.5, rank + 3.5};
  MPI_Request both[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status[3];
  int index, flag, number, indices[3];
  MPI_Recv_init(in, 4, MPI_DOUBLE, next(-1), 3, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(out, 4, MPI_DOUBLE, next(1), 3, MPI_COMM_WORLD, &both[2]);
  for (int round = 0; round < 3; ++round) {
    out[0] = 100 * round + rank;
    MPI_Startall(1, &both[0]);
    MPI_Start(&both[2]);
    if (round == 0) MPI_Waitall(3, both, status);
    if (round == 1)
      for (int done = 0; done < 2; done += flag)
        MPI_Testany(3, both, &index, &flag, status);
    if (round == 2)
      for (int done = 0; done < 2; done += number) MPI_Waitsome(3, both, &number, indices, status);
    say("persistent %g %g kept %d", in[0], in[3], both[0] != MPI_REQUEST_NULL);
  }
  MPI_Testall(3, both, &flag, status);
  MPI_Waitany(3, both, &index, status);
  say("inactive %d %d source %d tag %d", flag, index == MPI_UNDEFINED,
      status->MPI_SOURCE == MPI_ANY_SOURCE, status->MPI_TAG == MPI_ANY_TAG);
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[2]);
  say("freed %d", both[0] == MPI_REQUEST_NULL);
}

static void exchanges(void) {
  int mine = 10 * rank, theirs = -1;
  MPI_Status status;
  MPI_Sendrecv(&mine, 1, MPI_INT, next(1), 1, &theirs, 1, MPI_INT, next(-1), 1, MPI_COMM_WORLD,
               &status);
  MPI_Sendrecv_replace(&mine, 1, MPI_INT, next(-1), 2, next(1), 2, MPI_COMM_WORLD, &status);
  say("sendrecv %d %d", theirs, mine);
  MPI_Recv(&theirs, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
  say("nobody %d %d", status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG);
  MPI_Request self;
  MPI_Irecv(&theirs, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &self);
  MPI_Send(&rank, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
  MPI_Wait(&self, &status);
  say("self %d from %d", theirs, status.MPI_SOURCE);
}

/* A test and a probe fail before the message arrives, and succeed after it, however often they
   look. */
static void polling(void) {
  int flag, value = rank, got = -1;
  MPI_Request request;
  MPI_Iprobe(next(-1), 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  say("nothing yet %d", flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(&got, 1, MPI_INT, next(-1), 77, MPI_COMM_WORLD, &request);
  MPI_Send(&value, 1, MPI_INT, next(1), 77, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, next(1), 78, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Iprobe(next(-1), 78, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&value, 1, MPI_INT, next(-1), 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&got, 1, MPI_INT, next(-1), 79, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  say("polled %d %d cancelled %d", got, value, flag);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  every_size(0);
  every_size(1);
  order();
  any_source();
  MPI_Barrier(MPI_COMM_WORLD);
  requests();
  exchanges();
  polling();
  end();
}
