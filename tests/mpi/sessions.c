/* Sessions begin and end, one after another and beside MPI_Init, with their own buffers. */
#include "say.h"

static void show(const char* when) {
  int initialized, finalized;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  say("%s initialized %d, finalized %d", when, initialized, finalized);
}

static MPI_Comm all_ranks_of(MPI_Session session, const char* tag) {
  MPI_Group members, ranks;
  MPI_Comm made;
  int none;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &members);
  MPI_Group_excl(members, 0, &none, &ranks);
  MPI_Comm_create_from_group(ranks, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Group_free(&members);
  MPI_Group_free(&ranks);
  MPI_Comm_rank(made, &rank);
  MPI_Comm_size(made, &size);
  return made;
}

static void one_session(const char* tag) {
  static char room[1000 + MPI_BSEND_OVERHEAD];
  MPI_Session session;
  void* back;
  int bytes, in = -1, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = all_ranks_of(session, tag);
  show("in a session");
  MPI_Session_attach_buffer(session, room, sizeof room);
  MPI_Bsend(&rank, 1, MPI_INT, next(1), 1, comm);
  MPI_Recv(&in, 1, MPI_INT, next(-1), 1, comm, MPI_STATUS_IGNORE);
  MPI_Session_detach_buffer(session, &back, &bytes);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  say("%s: %d, sum %d, buffer %d", tag, in, sum, back == room);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  show("after it");
}

int main(int argc, char** argv) {
  MPI_Session beside;
  one_session("first");
  one_session("second");
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &beside);
  begin(&argc, &argv);
  show("after MPI_Init");
  MPI_Session_finalize(&beside);
  MPI_Barrier(MPI_COMM_WORLD);
  end();
}
