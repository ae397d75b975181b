/* Messages sent in parts, to receives that are too short, or posted before or after the message,
   and with other messages behind them. */
#include "say.h"

static char out[1 << 21], in[1 << 21];

/* Returns whether the receive got the first bytes of the message and changed no others. */
static int as_sent(size_t bytes) {
  size_t left = bytes;
  while (left < sizeof in && in[left] == 99) ++left;
  return memcmp(out, in, bytes) == 0 && left == sizeof in;
}

static void exchange(int bytes, int late) {
  MPI_Request sent[2], received;
  MPI_Status status;
  int class, got, from = next(-1);
  fill(out, sizeof out, (unsigned)bytes);
  memset(in, 99, sizeof in);
  if (!late) MPI_Irecv(in, bytes / 2, MPI_CHAR, from, 1, MPI_COMM_WORLD, &received);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(out, bytes, MPI_CHAR, next(1), 1, MPI_COMM_WORLD, &sent[0]);
  MPI_Isend(out, bytes, MPI_CHAR, next(1), 2, MPI_COMM_WORLD, &sent[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (late) MPI_Irecv(in, bytes / 2, MPI_CHAR, from, 1, MPI_COMM_WORLD, &received);
  MPI_Error_class(MPI_Wait(&received, MPI_STATUS_IGNORE), &class);
  say("%d late %d: too long %d, as sent %d", bytes, late, class == MPI_ERR_TRUNCATE,
      as_sent((size_t)bytes / 2));
  MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &got);
  say("%d late %d: then %d of tag %d from %d, as sent %d", bytes, late, got, status.MPI_TAG,
      status.MPI_SOURCE, as_sent((size_t)bytes));
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  const int sizes[] = {8, 73, 8192, 8193, 40000, 65536, 65537, 300000, 2000000};
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int s = 0; s < 9; ++s)
    for (int late = 0; late < 2; ++late) exchange(sizes[s], late);
  end();
}
