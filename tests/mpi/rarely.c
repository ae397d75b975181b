/* What programs rarely do: empty synchronous messages, handles that are freed while in use, invalid
   arguments, numbers in external32. */
#include "say.h"

#include <wchar.h>

static int class_of(int code) {
  int found;
  MPI_Error_class(code, &found);
  return found;
}

static void empty_messages(void) {
  int got = -1;
  MPI_Status status;
  MPI_Request both[2];
  MPI_Irecv(&got, 1, MPI_INT, next(-1), 1, MPI_COMM_WORLD, &both[0]);
  MPI_Issend(NULL, 0, MPI_INT, next(1), 1, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  if (rank % 2 == 0 && rank + 1 < size) MPI_Ssend(NULL, 0, MPI_INT, rank + 1, 2, MPI_COMM_WORLD);
  if (rank % 2 == 1) {
    MPI_Recv(NULL, 0, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
  }
  say("empty %d", got);
}

/* The operation queries the size of the type through the handle that it is given. */
static void add_bytes(void* in, void* inout, int* n, MPI_Datatype* type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  for (int i = 0; i < *n; ++i) {
    int *from = (int*)in + 2 * i, *to = (int*)inout + 2 * i;
    to[0] += from[0] + bytes;
    to[1] += from[1];
  }
}
static void freed_types(void) {
  MPI_Datatype two;
  MPI_Op op;
  MPI_Request one;
  int mine[2] = {rank, 1}, all[2] = {0, 0};
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  MPI_Op_create(add_bytes, 1, &op);
  MPI_Iallreduce(mine, all, 1, two, op, MPI_COMM_WORLD, &one);
  MPI_Type_free(&two);
  MPI_Op_free(&op);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  say("freed while it is combined %d %d", all[0], all[1]);
}

static void freed_in_buffered(void) {
  static char room[1000 + MPI_BSEND_OVERHEAD];
  int out[4] = {rank, 2, 3, 4}, in[2] = {0, 0}, bytes;
  void* back;
  MPI_Datatype every_other;
  MPI_Request one;
  say("to nobody %d", MPI_Bsend(out, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Bsend_init(out, 1, every_other, next(1), 3, MPI_COMM_WORLD, &one);
  MPI_Type_free(&every_other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Buffer_attach(room, 1);
  say("no room %d", class_of(MPI_Start(&one)));
  MPI_Buffer_detach(&back, &bytes);
  MPI_Buffer_attach(room, sizeof room);
  say("room %d", MPI_Start(&one));
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Recv(in, 2, MPI_INT, next(-1), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&back, &bytes);
  MPI_Request_free(&one);
  say("of a freed type %d %d", in[0], in[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int deleted;
static int count_deleted(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  return ++deleted, MPI_SUCCESS;
}
static void contents(void) {
  MPI_Datatype inner, outer, again;
  int key, flag, integers[2], value = 7, *found = NULL;
  MPI_Aint addresses[1];
  MPI_Type_contiguous(3, MPI_INT, &inner);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deleted, &key, NULL);
  MPI_Type_set_attr(inner, key, &value);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_get_contents(outer, 1, 0, 1, integers, addresses, &again);
  MPI_Type_free(&again);
  MPI_Type_get_attr(inner, key, &found, &flag);
  say("attributes of an inner type %d, deleted %d", flag && *found == value, deleted);
  MPI_Type_free(&outer);
  MPI_Type_free(&inner);
  say("deleted %d", deleted);
  MPI_Type_free_keyval(&key);
}

/* A struct is not padded beyond bounds that the caller has set. */
static void bounds(void) {
  MPI_Datatype six, whole;
  int length = 1;
  MPI_Aint place = 0, lower, extent;
  MPI_Type_create_resized(MPI_INT, 0, 6, &six);
  MPI_Type_create_struct(1, &length, &place, &six, &whole);
  MPI_Type_get_extent(whole, &lower, &extent);
  say("bounds %ld %ld", (long)lower, (long)extent);
  MPI_Type_free(&six);
  MPI_Type_free(&whole);
}

static void refused(void) {
  int one = 1, two = 0, minus = -1, count;
  MPI_Comm made;
  MPI_Group world, own;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  say("null %d", class_of(MPI_Allreduce(NULL, &two, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF)));
  say("counts %d",
      class_of(MPI_Reduce_scatter(&one, &two, &minus, MPI_INT, MPI_SUM, MPI_COMM_SELF)));
  const int degree = 1;
  int edge = 0, found;
  MPI_Graph_create(MPI_COMM_SELF, 1, &degree, &edge, 0, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  say("neighbours %d", class_of(MPI_Graph_neighbors_count(made, 5, &count)));
  say("neighbours %d", class_of(MPI_Graph_neighbors(made, -7, 1, &found)));
  MPI_Comm_free(&made);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &rank, &own);
  say("tag %d", class_of(MPI_Comm_create_group(MPI_COMM_WORLD, own, -5, &made)));
  MPI_Group_free(&world);
  MPI_Group_free(&own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void refused_epochs(void) {
  int memory = 0, value = 1;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  say("complete %d", class_of(MPI_Win_complete(window)));
  say("wait %d", class_of(MPI_Win_wait(window)));
  say("flush %d", class_of(MPI_Win_flush(0, window)));
  say("flush_all %d", class_of(MPI_Win_flush_all(window)));
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  say("locked %d", MPI_Win_flush(0, window));
  MPI_Win_unlock(0, window);
  say("put %d", memory);
  MPI_Win_free(&window);
}

static void external(void) {
  const long out[] = {1, -2, 1L << 30};
  long back[3];
  unsigned char packed[12];
  MPI_Aint bytes, position = 0;
  const MPI_Datatype types[] = {MPI_LONG, MPI_UNSIGNED_LONG, MPI_WCHAR, MPI_INT64_T};
  for (int i = 0; i < 4; ++i) {
    MPI_Pack_external_size("external32", 3, types[i], &bytes);
    say("external %d %ld", i, (long)bytes);
  }
  MPI_Pack_external("external32", out, 3, MPI_LONG, packed, sizeof packed, &position);
  say("packed %ld %llx", (long)position, (unsigned long long)digest(packed, sizeof packed));
  position = 0;
  MPI_Unpack_external("external32", packed, sizeof packed, &position, back, 3, MPI_LONG);
  say("unpacked %ld %ld %ld", back[0], back[1], back[2]);
}

/* MPICH does not convert these. */
static void more_external(void) {
  const wchar_t words[] = L"ab";
  const long double halves[] = {1, -2.5L};
  struct {
    long value;
    int place;
  } pair = {-3, 4}, pair_back;
  const long large = 1L << 40;
  wchar_t words_back[2];
  long double halves_back[2];
  unsigned char packed[100];
  char digits[201];
  MPI_Aint position = 0;
  MPI_Pack_external("external32", words, 2, MPI_WCHAR, packed, sizeof packed, &position);
  MPI_Pack_external("external32", &pair, 1, MPI_LONG_INT, packed, sizeof packed, &position);
  MPI_Pack_external("external32", halves, 2, MPI_LONG_DOUBLE, packed, sizeof packed, &position);
  for (int i = 0; i < position; ++i) sprintf(digits + 2 * i, "%02x", packed[i]);
  say("packed %s", digits);
  position = 0;
  MPI_Unpack_external("external32", packed, sizeof packed, &position, words_back, 2, MPI_WCHAR);
  MPI_Unpack_external("external32", packed, sizeof packed, &position, &pair_back, 1, MPI_LONG_INT);
  MPI_Unpack_external("external32", packed, sizeof packed, &position, halves_back, 2,
                      MPI_LONG_DOUBLE);
  say("unpacked %c%c %ld %d %.1Lf %.1Lf", (char)words_back[0], (char)words_back[1], pair_back.value,
      pair_back.place, halves_back[0], halves_back[1]);
  position = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  say("too large %d", class_of(MPI_Pack_external("external32", &large, 1, MPI_LONG, packed,
                                                 sizeof packed, &position)));
}

/* MPICH does not refuse these. */
static void more_refused(const char* name) {
  int given[] = {65536, 65536, 0}, periodic[] = {0, 0}, value = 3;
  MPI_Comm made;
  MPI_File file;
  MPI_Group world;
  MPI_Win window;
  if (rank != 0)
    say("in place %d",
        class_of(MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD)));
  say("dims %d", class_of(MPI_Dims_create(4, 3, given)));
  say("grid %d", class_of(MPI_Cart_create(MPI_COMM_WORLD, 2, given, periodic, 0, &made)));
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
                MPI_INFO_NULL, &file);
  say("sequential %d", class_of(MPI_File_write_at(file, 0, &value, 1, MPI_INT, NULL)));
  say("sequential %d", class_of(MPI_File_write(file, &value, 1, MPI_INT, NULL)));
  say("sequential %d", class_of(MPI_File_seek(file, 0, MPI_SEEK_SET)));
  say("sequential %d", MPI_File_write_shared(file, &value, 1, MPI_INT, NULL));
  MPI_File_close(&file);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  say("foreign %d", class_of(MPI_Win_post(world, 0, window)));
  say("foreign %d", class_of(MPI_Win_start(world, 0, window)));
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

/* Functions of the caller may need more stack than a collective in the background has. */
static int copy_deeply(MPI_Comm from, int key, void* extra, void* in, void* out, int* flag) {
  volatile char deep[400000];
  (void)from, (void)key, (void)extra;
  for (size_t i = 0; i < sizeof deep; i += 1000) deep[i] = (char)i;
  *(void**)out = in;
  *flag = deep[1000] != 0;
  return MPI_SUCCESS;
}
/* A long message is cancelled if no receive has taken it, and is not cancelled otherwise. */
static void taken_back(void) {
  enum { bytes = 1 << 20 };
  static char out[bytes], in[bytes];
  int back = 0, received = 0;
  MPI_Request one;
  MPI_Status status;
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == 0 && turn == 1) MPI_Irecv(in, bytes, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &one);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Isend(out, bytes, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &one);
      MPI_Cancel(&one);
      MPI_Wait(&one, &status);
      MPI_Test_cancelled(&status, turn == 0 ? &back : &received);
    }
    if (rank == 0 && turn == 1) MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1) say("taken back %d, received %d", back, received);
}

static void deep_copies(void) {
  MPI_Comm made;
  MPI_Request one;
  int key, flag, value = 1, *found;
  MPI_Comm_create_keyval(copy_deeply, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(made, key, &found, &flag);
  say("copied %d", flag && found == &value);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free(&made);
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  empty_messages();
  freed_types();
  freed_in_buffered();
  contents();
  bounds();
  refused();
  refused_epochs();
  external();
  deep_copies();
  if (argc > 1) {
    said_bytes = 0;
    taken_back();
    more_external();
    more_refused(argv[1]);
  }
  end();
}
