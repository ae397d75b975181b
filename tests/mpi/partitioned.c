/* Partitioned communication: with equal and different partitions on both sides, with types that are
   not contiguous, twice at once between two ranks with the same tag, and with MPI_PROC_NULL. */
#include "say.h"

enum { partitions = 6, each = 500, all = partitions * each };

static MPI_Request sent(const void* from, int parts, int count, MPI_Datatype type, int to) {
  MPI_Request one;
  MPI_Psend_init(from, parts, count, type, to, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &one);
  return one;
}
static MPI_Request received(void* into, int parts, int count, MPI_Datatype type, int from) {
  MPI_Request one;
  MPI_Precv_init(into, parts, count, type, from, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &one);
  return one;
}

static void write_part(int* out, int part, int turn) {
  for (int i = part * each; i < (part + 1) * each; ++i) out[i] = rank * 1000000 + turn * 10000 + i;
}

/* The receiver's partitions differ from the sender's. Partitions become ready one by one, as a list
   and as a range. */
static void other_partitions(void) {
  static int out[all], in[all];
  MPI_Request pair[2] = {received(in, 3, all / 3, MPI_INT, next(-1)),
                         sent(out, partitions, each, MPI_INT, next(1))};
  MPI_Status status[2];
  for (int turn = 0; turn < 3; ++turn) {
    int list[] = {5, 0}, flag, count;
    MPI_Startall(2, pair);
    write_part(out, 3, turn);
    MPI_Pready(3, pair[1]);
    for (int i = 0; i < 2; ++i) write_part(out, list[i], turn);
    MPI_Pready_list(2, list, pair[1]);
    write_part(out, 1, turn);
    write_part(out, 2, turn);
    MPI_Pready_range(1, 2, pair[1]);
    write_part(out, 4, turn);
    MPI_Pready(4, pair[1]);
    for (flag = 0; !flag;) MPI_Parrived(pair[0], 1, &flag);
    say("arrived %llx", (unsigned long long)digest(in + all / 3, sizeof in / 3));
    MPI_Waitall(2, pair, status);
    MPI_Get_count(&status[0], MPI_INT, &count);
    say("turn %d %llx from %d, tag %d, count %d", turn, (unsigned long long)digest(in, sizeof in),
        status[0].MPI_SOURCE == next(-1), status[0].MPI_TAG, count);
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

/* An empty partition arrives like any other. */
static void empty(void) {
  int flag[4];
  MPI_Request pair[2] = {received(NULL, 2, 0, MPI_INT, next(-1)), sent(NULL, 2, 0, MPI_INT, next(1))};
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(&pair[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Parrived(pair[0], 0, &flag[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&pair[1]);
    MPI_Parrived(pair[0], 1, &flag[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pready_range(0, 1, pair[1]);
    for (int part = 0; part < 2; ++part)
      for (flag[2 + part] = 0; !flag[2 + part];) MPI_Parrived(pair[0], part, &flag[2 + part]);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    say("empty %d %d, then %d %d", flag[0], flag[1], flag[2], flag[3]);
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

/* The sender waits for an answer to an early partition before it sends a later one. */
static void answered(void) {
  int out[2] = {-5, rank}, in[2] = {-1, -1}, answer = -1, flag = 0;
  MPI_Request pair[2] = {received(in, 2, 1, MPI_INT, next(-1)), sent(out, 2, 1, MPI_INT, next(1))};
  MPI_Startall(2, pair);
  MPI_Pready(1, pair[1]);
  while (!flag) MPI_Parrived(pair[0], 1, &flag);
  int early = in[1];
  MPI_Sendrecv(&rank, 1, MPI_INT, next(-1), 8, &answer, 1, MPI_INT, next(1), 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  out[0] = answer;
  MPI_Pready(0, pair[1]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  say("answered %d, then %d %d", early, in[0], in[1]);
  MPI_Parrived(pair[0], 0, &flag);
  say("inactive %d", flag);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

/* Requests match in the order in which they are made, whatever the order in which they start. */
static void in_order(void) {
  static double out[2][40], in[2][80];
  MPI_Datatype spread;
  MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  MPI_Request four[4];
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 40; ++k) out[i][k] = 100 * rank + 50 * i + k;
    four[i] = received(in[i], 5, 1, spread, next(-1));
    four[2 + i] = sent(out[i], 5, 4, MPI_DOUBLE, next(1));
  }
  MPI_Type_free(&spread);
  for (int i = 1; i >= 0; --i) {
    MPI_Start(&four[2 + i]);
    MPI_Pready_range(0, 4, four[2 + i]);
    MPI_Start(&four[i]);
  }
  MPI_Waitall(4, four, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) say("spread %llx", (unsigned long long)digest(in[i], sizeof in[i]));
  for (int i = 0; i < 4; ++i) MPI_Request_free(&four[i]);
}

static void to_nobody(void) {
  int value = 5, flag = 0;
  MPI_Request pair[2] = {received(&value, 1, 1, MPI_INT, MPI_PROC_NULL),
                         sent(&value, 1, 1, MPI_INT, MPI_PROC_NULL)};
  MPI_Status status;
  MPI_Startall(2, pair);
  MPI_Pready(0, pair[1]);
  MPI_Wait(&pair[0], &status);
  MPI_Test(&pair[1], &flag, MPI_STATUS_IGNORE);
  say("nobody %d %d %d", status.MPI_SOURCE == MPI_PROC_NULL, flag, value);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  other_partitions();
  in_order();
  empty();
  if (argc > 1) {
    answered();
    to_nobody();
  }
  end();
  return 0;
}
