/* Matched probes, buffered sends, generalized requests, contents of datatypes, attributes,
   sessions. */
#include "say.h"

static void matched(void) {
  int out[3] = {rank, 7, 8}, in[3] = {0}, flag = 0, count, none[1] = {5};
  MPI_Message message;
  MPI_Request one;
  MPI_Status status;
  MPI_Isend(out, 3, MPI_INT, next(1), 4, MPI_COMM_WORLD, &one);
  MPI_Mprobe(next(-1), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Iprobe(next(-1), 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  say("matched %d of %d, tag %d, another one %d", count, status.MPI_SOURCE, status.MPI_TAG, flag);
  MPI_Mrecv(in, 3, MPI_INT, &message, &status);
  say("received %d %d, null %d", in[0], in[2], message == MPI_MESSAGE_NULL);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Isend(out, 3, MPI_INT, next(1), 5, MPI_COMM_WORLD, &one);
  for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, &status);
  MPI_Request back;
  MPI_Imrecv(in, 3, MPI_INT, &message, &back);
  MPI_Wait(&back, &status);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  say("later %d", in[0] == next(-1) && status.MPI_SOURCE == next(-1));
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(none, 1, MPI_INT, &message, &status);
  say("nobody %d %d", status.MPI_SOURCE == MPI_PROC_NULL, none[0]);
}

static void buffered(void) {
  const int bytes = 3 * (40000 + MPI_BSEND_OVERHEAD);
  char *buffer = malloc((size_t)bytes), out[40000], in[40000];
  void* back;
  int given;
  MPI_Request one;
  MPI_Buffer_attach(buffer, bytes);
  for (int turn = 0; turn < 3; ++turn) {
    fill(out, sizeof out, (unsigned)(rank + turn));
    MPI_Bsend(out, sizeof out, MPI_CHAR, next(1), turn, MPI_COMM_WORLD);
    memset(out, 0, sizeof out);
    MPI_Recv(in, sizeof in, MPI_CHAR, next(-1), turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("buffered %llx", (unsigned long long)digest(in, sizeof in));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Ibsend(out, 1, MPI_CHAR, rank, 9, MPI_COMM_WORLD, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_CHAR, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&back, &given);
  say("detached %d %d", back == buffer, given == bytes);
  free(buffer);
}

static void at_once(void) {
  int out = rank, in = -1;
  MPI_Request one;
  MPI_Isendrecv(&out, 1, MPI_INT, next(1), 1, &in, 1, MPI_INT, next(-1), 1, MPI_COMM_WORLD, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(&out, 1, MPI_INT, next(-1), 2, next(1), 2, MPI_COMM_WORLD, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  say("isendrecv %d %d", in, out);
}

static int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 3;
  status->MPI_TAG = 4;
  return MPI_SUCCESS;
}
static int freed(void* extra) { return ++*(int*)extra, MPI_SUCCESS; }
static int cancel(void* extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }

static void own_request(void) {
  int elements = 6, count, flag;
  MPI_Request one;
  MPI_Status status;
  MPI_Grequest_start(query, freed, cancel, &elements, &one);
  MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
  MPI_Grequest_complete(one);
  MPI_Wait(&one, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  say("own request %d %d %d %d", flag, count, status.MPI_TAG, elements);
}

static void contents(void) {
  int lengths[2] = {2, 1}, integers[8], counts[4], elements;
  MPI_Aint places[2] = {0, 16}, addresses[4], lower, extent;
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, made, copy, parts[2], array;
  MPI_Status status;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_get_envelope(made, &counts[0], &counts[1], &counts[2], &counts[3]);
  MPI_Type_get_contents(made, 8, 4, 2, integers, addresses, parts);
  say("struct %d %d %d %d: %d %d %ld %d", counts[0], counts[1], counts[2],
      counts[3] == MPI_COMBINER_STRUCT, integers[0], integers[1], (long)addresses[1],
      parts[1] == MPI_DOUBLE);
  MPI_Type_dup(made, &copy);
  MPI_Type_get_envelope(copy, &counts[0], &counts[1], &counts[2], &counts[3]);
  MPI_Type_set_name(copy, "copy");
  MPI_Type_get_name(copy, name, &elements);
  say("dup %d %s", counts[3] == MPI_COMBINER_DUP, name);
  MPI_Type_get_name(MPI_UNSIGNED_LONG, name, &elements);
  say("name %s", name);
  MPI_Type_commit(&made);
  MPI_Status_set_elements(&status, made, 5);
  MPI_Get_elements(&status, made, &elements);
  MPI_Get_count(&status, made, &counts[0]);
  say("elements %d %d", elements, counts[0] == MPI_UNDEFINED);
  int whole[2] = {9, 4}, ways[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
      blocks[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, ranks[2] = {size, 1}, mine[36], packed[36];
  MPI_Type_create_darray(size, rank, 2, whole, ways, blocks, ranks, MPI_ORDER_C, MPI_INT, &array);
  MPI_Type_commit(&array);
  MPI_Type_get_extent(array, &lower, &extent);
  MPI_Type_size(array, &counts[0]);
  for (int i = 0; i < 36; ++i) mine[i] = i, packed[i] = -1;
  MPI_Sendrecv(mine, 1, array, rank, 0, packed, 36, MPI_INT, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  say("darray %ld %d %llx", (long)extent, counts[0], (unsigned long long)digest(packed, sizeof packed));
  MPI_Aint position = 0, external;
  unsigned char outside[64] = {0};
  int from[2] = {1, 258}, to[2] = {0, 0};
  MPI_Pack_external_size("external32", 2, MPI_INT, &external);
  MPI_Pack_external("external32", from, 2, MPI_INT, outside, sizeof outside, &position);
  say("external %ld %ld %d %d", (long)external, (long)position, outside[3], outside[6]);
  position = 0;
  MPI_Unpack_external("external32", outside, sizeof outside, &position, to, 2, MPI_INT);
  say("back %d %d", to[0], to[1]);
  MPI_Type_free(&array);
  MPI_Type_free(&copy);
  MPI_Type_free(&made);
}

static int deleted;
static int copied(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = (char*)in + 1;
  return *flag = 1, MPI_SUCCESS;
}
static int erased(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  deleted = deleted * 10 + (int)(intptr_t)value;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, flag;
  void* value = NULL;
  MPI_Comm comm, copy;
  MPI_Comm_create_keyval(copied, erased, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, (void*)1);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  say("copied %d %d", flag, (int)(intptr_t)value);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
  say("deleted %d", deleted);
}

static void errors(void) {
  int class, code, found, length, eight = 8;
  char words[MPI_MAX_ERROR_STRING];
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "of our own");
  MPI_Error_class(code, &found);
  MPI_Error_string(code, words, &length);
  say("own error %d %s", found == class, words);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Send(&eight, 1, MPI_INT, 1, 0, MPI_COMM_SELF), &found);
  say("rank %d", found == MPI_ERR_RANK);
}

static void session(void) {
  MPI_Session one;
  MPI_Group all;
  MPI_Comm comm;
  int sum, sets;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &one);
  MPI_Session_get_num_psets(one, MPI_INFO_NULL, &sets);
  MPI_Group_from_session_pset(one, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "here", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  say("session %d %d", sum, sets >= 2);
  MPI_Comm_free(&comm);
  MPI_Group_free(&all);
  MPI_Session_finalize(&one);
}

/* Only the even ranks make a communicator. */
static void among(void) {
  MPI_Group all, even;
  MPI_Comm comm = MPI_COMM_NULL;
  int ranges[1][3] = {{0, size - 1, 2}}, sum = -1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, ranges, &even);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
  }
  say("among %d", sum);
  MPI_Group_free(&all);
  MPI_Group_free(&even);
}

/* The clock advances even if a rank does nothing but read it. */
static void waiting_for_the_clock(void) {
  const double start = MPI_Wtime();
  while (MPI_Wtime() - start < 1e-3) {
  }
  say("a millisecond has passed");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  matched();
  buffered();
  at_once();
  own_request();
  contents();
  attributes();
  errors();
  session();
  among();
  waiting_for_the_clock();
  end();
}
