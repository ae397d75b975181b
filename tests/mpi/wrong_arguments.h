/* Objects that exist, and others that do not, for calls with one wrong argument. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm, grid, graph, edges;
static MPI_Group group;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Win win;
static MPI_File file;
static MPI_Session session;
static MPI_Info info;
static MPI_Errhandler errhandler;
static MPI_Request request, persistent, sent_parts, received_parts;
static MPI_Message message;
static MPI_Status status;
static int key_of_comms, key_of_types, key_of_wins;

/* Freed handles, one of each kind. */
static struct {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Win win;
  MPI_File file;
  MPI_Session session;
  MPI_Info info;
  MPI_Errhandler errhandler;
  MPI_Request request;
  MPI_Message message;
} freed;

static double memory[8], buffer[8], attached[512];
static char scratch[4096], name[MPI_MAX_PROCESSOR_NAME] = "mpi_size";
static const char* path;
static const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8];
static const MPI_Count large_ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, large_zeros[8];
static int range[1][3] = {{0, 0, 1}};
static int block[1] = {MPI_DISTRIBUTE_BLOCK}, usual[1] = {MPI_DISTRIBUTE_DFLT_DARG};
static MPI_Datatype types[8];

/* The object whose error handler was called last. */
static const char* told;
static void tell_comm(MPI_Comm* of, int* code, ...) {
  (void)code;
  told = *of == comm ? "communicator" : *of == MPI_COMM_SELF ? "self" : "another communicator";
}
static void tell_win(MPI_Win* of, int* code, ...) {
  (void)code;
  told = *of == win ? "window" : "another window";
}
static void tell_file(MPI_File* of, int* code, ...) {
  (void)code;
  told = *of == file ? "file" : *of == MPI_FILE_NULL ? "no file" : "another file";
}
static void tell_session(MPI_Session* of, int* code, ...) {
  (void)code;
  told = *of == session ? "session" : "another session";
}

static void tell_nobody(MPI_Comm* of, int* code, ...) { (void)of, (void)code; }

static void add(void* in, void* inout, int* count, MPI_Datatype* of) {
  (void)of;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void make_objects(void) {
  const int yes = 1, edge = 0, index = 1;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(tell_comm, &errhandler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Cart_create(comm, 1, &yes, &yes, 0, &grid);
  MPI_Graph_create(comm, 1, &index, &edge, 0, &graph);
  MPI_Dist_graph_create_adjacent(comm, 1, &edge, &yes, 1, &edge, &yes, MPI_INFO_NULL, 0, &edges);
  MPI_Comm_group(comm, &group);
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add, 1, &op);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win);
  MPI_Win_create_errhandler(tell_win, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Win_lock_all(0, win);
  MPI_File_create_errhandler(tell_file, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Session_create_errhandler(tell_session, &handler);
  MPI_Session_init(MPI_INFO_NULL, handler, &session);
  MPI_Info_create(&info);
  MPI_Info_set(info, name, "1");
  MPI_Send_init(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &persistent);
  MPI_Psend_init(buffer, 1, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &sent_parts);
  MPI_Precv_init(buffer, 1, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &received_parts);
  request = MPI_REQUEST_NULL;
  for (int i = 0; i < 8; ++i) types[i] = MPI_INT;
  MPI_Send(buffer, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
  MPI_Mprobe(0, 4, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_of_comms, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key_of_types, NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key_of_wins, NULL);
}

#define FREE(kind, end) (freed.kind = object.kind, end(&object.kind))
static void make_freed_handles(void) {
  int flag;
  __typeof__(freed) object;
  MPI_Comm_dup(MPI_COMM_SELF, &object.comm);
  MPI_Comm_group(comm, &object.group);
  MPI_Type_contiguous(2, MPI_INT, &object.type);
  MPI_Op_create(add, 1, &object.op);
  MPI_Win_create(memory, 0, 1, MPI_INFO_NULL, comm, &object.win);
  MPI_File_open(comm, path, MPI_MODE_RDWR, MPI_INFO_NULL, &object.file);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &object.session);
  MPI_Info_create(&object.info);
  MPI_Comm_create_errhandler(tell_nobody, &object.errhandler);
  MPI_Send_init(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &object.request);
  MPI_Send(buffer, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Improbe(0, 5, MPI_COMM_SELF, &flag, &object.message, MPI_STATUS_IGNORE);
  FREE(win, MPI_Win_free);
  FREE(file, MPI_File_close);
  FREE(comm, MPI_Comm_free);
  FREE(group, MPI_Group_free);
  FREE(type, MPI_Type_free);
  FREE(op, MPI_Op_free);
  FREE(session, MPI_Session_finalize);
  FREE(info, MPI_Info_free);
  FREE(errhandler, MPI_Errhandler_free);
  FREE(request, MPI_Request_free);
  freed.message = object.message;
  MPI_Mrecv(buffer, 1, MPI_INT, &object.message, MPI_STATUS_IGNORE);
}

static sigjmp_buf back;
static void go_back(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

/* A call with one wrong argument must return an error of this class, and call the error handler of
   this object with it. Any other outcome prints a line. */
static int calls;
#define WRONG(what, wanted, by, ...)                                                 \
  do {                                                                               \
    told = "nobody";                                                                 \
    ++calls;                                                                         \
    if (sigsetjmp(back, 1) != 0) {                                                   \
      printf("%s: it crashes\n", what);                                              \
    } else {                                                                         \
      const int code = __VA_ARGS__;                                                  \
      if (code != wanted) printf("%s: class %d, not %d\n", what, code, wanted);      \
      if (strcmp(by, told) != 0) printf("%s: told to %s, not %s\n", what, told, by); \
    }                                                                                \
  } while (0)
