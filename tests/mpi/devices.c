/* MPI does the same with buffers in device memory as with buffers of the host. Every exchange is
   done with host buffers first, and prints a digest. Then its input and its output are placed on a
   device or on the host in all combinations. The bytes must be the same, including those between
   elements; each difference is printed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#include "say.h"

enum { room = 300000 };
typedef unsigned long long address;

static struct {
  int (*retain)(void**, int);
  int (*enter)(void*);
  int (*allocate)(address*, size_t);
  int (*to_device)(address, const void*, size_t, void*);
  int (*to_host)(void*, address, size_t, void*);
  int (*await)(void*);
} driver;

static void require(int right) {
  if (!right) exit(3);
}

static void find(void* library, const char* name, void* function) {
  void* const found = dlsym(library, name);
  require(found != NULL);
  memcpy(function, &found, sizeof found);
}

/* The driver is loaded after messages were sent, as in a program that starts MPI first. No driver
   starts in less time than this waits. */
static void begin_devices(void) {
  const struct timespec start = {0, 30000000};
  void *const library = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int (*init)(unsigned), (*how_many)(int*), devices;
  require(library != NULL);
  nanosleep(&start, NULL);
  find(library, "cuInit", &init);
  find(library, "cuDeviceGetCount", &how_many);
  find(library, "cuDevicePrimaryCtxRetain", &driver.retain);
  find(library, "cuCtxPushCurrent_v2", &driver.enter);
  find(library, "cuMemAlloc_v2", &driver.allocate);
  find(library, "cuMemcpyHtoDAsync_v2", &driver.to_device);
  find(library, "cuMemcpyDtoHAsync_v2", &driver.to_host);
  find(library, "cuStreamSynchronize", &driver.await);
  require(init(0) == 0 && how_many(&devices) == 0 && devices > 0);
  require(driver.retain(&context, rank % devices) == 0 && driver.enter(context) == 0);
}

static char* new_memory(void) {
  address memory = 0;
  require(driver.allocate(&memory, room) == 0);
  return (char*)(uintptr_t)memory;
}

/* An exchange reads `in` and writes `out`. It may use `own`, which is host memory, for itself. */
static struct { char *in, *out, *own; } at;
typedef void exchange(void);

static MPI_Datatype rows, cube, list, affine;
static MPI_Op composed;

/* Composes x -> ax + b, which is associative and does not commute. */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  const unsigned* first = in;
  unsigned* second = inout;
  (void)type;
  for (int i = 0; i < 2 * *count; i += 2) {
    second[i + 1] = first[i] * second[i + 1] + first[i + 1];
    second[i] *= first[i];
  }
}

static void make_types(void) {
  MPI_Type_vector(8, 3, 5, MPI_INT, &rows);
  MPI_Type_create_subarray(4, (int[]){3, 6, 5, 40}, (int[]){2, 3, 4, 11}, (int[]){1, 2, 0, 7},
                           MPI_ORDER_C, MPI_SHORT, &cube);
  MPI_Type_create_hindexed(4, (int[]){2, 1, 3, 4}, (MPI_Aint[]){400, 0, 48, 164}, MPI_INT, &list);
  MPI_Type_contiguous(2, MPI_UNSIGNED, &affine);
  MPI_Type_commit(&rows);
  MPI_Type_commit(&cube);
  MPI_Type_commit(&list);
  MPI_Type_commit(&affine);
  MPI_Op_create(compose, 0, &composed);
}

static void pass(int begin, int count, MPI_Datatype type, int room_for, MPI_Datatype into) {
  MPI_Request both[2];
  MPI_Irecv(at.out + begin, room_for, into, next(-1), 1, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(at.in + begin, count, type, next(1), 1, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void nothing(void) { pass(0, 0, MPI_INT, 4, MPI_INT); }
static void few_bytes(void) { pass(3, 29, MPI_BYTE, 40, MPI_BYTE); }
static void many_bytes(void) { pass(8, 250001, MPI_BYTE, 260000, MPI_BYTE); }
static void from_rows(void) { pass(0, 7, rows, 1000, MPI_INT); }
static void to_rows(void) { pass(4, 9 * 24 + 5, MPI_INT, 11, rows); }
static void many_rows(void) { pass(64, 400, rows, 400, rows); }
static void cubes(void) { pass(16, 20, cube, 20, cube); }
static void lists(void) { pass(0, 3, list, 3, list); }

static void unexpected(void) {
  MPI_Request one;
  MPI_Isend(at.in, 100, MPI_INT, next(1), 2, MPI_COMM_WORLD, &one);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(at.out, 5, rows, next(-1), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
}
static void to_itself(void) {
  MPI_Request both[2];
  MPI_Isend(at.in, 50000, MPI_INT, 0, 2, MPI_COMM_SELF, &both[0]);
  MPI_Irecv(at.out, 50000, MPI_INT, 0, 2, MPI_COMM_SELF, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void persistent(void) {
  MPI_Request both[2];
  MPI_Recv_init(at.out, 200, rows, next(-1), 3, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(at.in, 200, rows, next(1), 3, MPI_COMM_WORLD, &both[1]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}
static void replaced(void) {
  MPI_Sendrecv_replace(at.out, 30000, MPI_INT, next(1), 4, next(-1), 4, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
}
static void buffered(void) {
  void* detached;
  int bytes;
  MPI_Buffer_attach(at.own, room);
  MPI_Bsend(at.in, 3, cube, next(1), 5, MPI_COMM_WORLD);
  MPI_Recv(at.out, 3, cube, next(-1), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&detached, &bytes);
}
static void partitioned(void) {
  MPI_Request both[2];
  MPI_Precv_init(at.out, 4, 30, rows, next(-1), 6, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  MPI_Psend_init(at.in, 4, 30, rows, next(1), 6, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
  MPI_Startall(2, both);
  for (int part = 3; part >= 0; --part) MPI_Pready(part, both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}
/* One type has elements both in the input and in host memory. */
static void anywhere(void) {
  MPI_Aint places[3];
  MPI_Datatype both;
  MPI_Get_address(at.own, &places[0]);
  MPI_Get_address(at.in + 40, &places[1]);
  MPI_Get_address(at.own + 8000, &places[2]);
  MPI_Type_create_hindexed(3, (int[]){100, 50, 7}, places, MPI_INT, &both);
  MPI_Type_commit(&both);
  MPI_Sendrecv(MPI_BOTTOM, 1, both, next(1), 7, at.out, 40, rows, next(-1), 7, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&both);
}
static void packed(void) {
  int bytes = 0;
  MPI_Pack(at.in, 2, cube, at.own, room, &bytes, MPI_COMM_WORLD);
  bytes = 0;
  MPI_Unpack(at.own, room, &bytes, at.out, 20, rows, MPI_COMM_WORLD);
  MPI_Pack(at.in, 3, list, at.out, room, &bytes, MPI_COMM_WORLD);
}

static void summed(void) {
  MPI_Allreduce(at.in, at.out, 6000, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(at.in, at.out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, at.out + 24000, 300, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Allreduce(at.in, at.out + 32000, 500, affine, composed, MPI_COMM_WORLD);
}
static void reduced(void) {
  const int root = size - 1;
  MPI_Reduce(at.in, at.out, 3000, affine, composed, root, MPI_COMM_WORLD);
  MPI_Reduce(rank == root ? MPI_IN_PLACE : at.out + 40000, rank == root ? at.out + 40000 : NULL,
             2000, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD);
  MPI_Scan(at.in, at.out + 60000, 700, affine, composed, MPI_COMM_WORLD);
  MPI_Exscan(at.in, at.out + 80000, 700, affine, composed, MPI_COMM_WORLD);
  MPI_Scan(MPI_IN_PLACE, at.out + 100000, 700, MPI_INT, MPI_BAND, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(at.in, at.out + 120000, 900, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Reduce_local(at.in, at.out + 160000, 900, affine, composed);
}
static void broadcast(void) {
  MPI_Bcast(at.out, 20000, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Bcast(at.out + 100000, rank % 2 == 0 ? 10 : 240, rank % 2 == 0 ? rows : MPI_INT, 0,
            MPI_COMM_WORLD);
}
static void collected(void) {
  MPI_Gather(at.in, 50, rows, at.out, 50, rows, 0, MPI_COMM_WORLD);
  MPI_Allgather(at.in, 40, rows, at.out + 60000, 40 * 24, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, at.out + 100000, 2000, MPI_INT, MPI_COMM_WORLD);
  MPI_Scatter(at.in, 2000, MPI_INT, at.out + 150000, 2000, MPI_INT, 1, MPI_COMM_WORLD);
}
static void exchanged(void) {
  int counts[16], places[16];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1 + (rank + i) % 3;
    places[i] = 4 * (size - i);
  }
  MPI_Alltoall(at.in, 3000, MPI_INT, at.out, 3000, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, at.out, 20, rows, MPI_COMM_WORLD);
  MPI_Alltoallv(at.in, counts, places, cube, at.out + 60000, counts, places, cube, MPI_COMM_WORLD);
}
static void later(void) {
  MPI_Request some[3];
  MPI_Iallreduce(at.in, at.out, 5000, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD, &some[0]);
  MPI_Ibcast(at.out + 40000, 100, rows, 1, MPI_COMM_WORLD, &some[1]);
  MPI_Ialltoall(at.in, 1000, MPI_INT, at.out + 60000, 1000, MPI_INT, MPI_COMM_WORLD, &some[2]);
  MPI_Waitall(3, some, MPI_STATUSES_IGNORE);
  MPI_Allreduce_init(at.in, at.out, 5000, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &some[0]);
  MPI_Start(&some[0]);
  MPI_Wait(&some[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&some[0]);
}
static void neighbours(void) {
  MPI_Comm circle;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &circle);
  MPI_Neighbor_alltoall(at.in, 30, rows, at.out, 30, rows, circle);
  MPI_Comm_free(&circle);
}
/* The window is in host memory; the buffers of put, get and accumulate are not. */
static void window(void) {
  MPI_Win made;
  memcpy(at.own, "1234567890123456", 16);
  MPI_Win_create(at.own, room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  MPI_Win_fence(0, made);
  MPI_Put(at.in, 60, rows, next(1), 1000, 60 * 24, MPI_INT, made);
  MPI_Accumulate(at.in, 3000, MPI_INT, next(-1), 40000, 3000, MPI_INT, MPI_SUM, made);
  MPI_Win_fence(0, made);
  MPI_Get(at.out, 60, rows, next(-1), 1000, 60, rows, made);
  MPI_Get(at.out + 20000, 20000, MPI_INT, next(1), 40000, 20000, MPI_INT, made);
  MPI_Get_accumulate(at.in, 8, MPI_INT, at.out + 200000, 8, MPI_INT, next(1), 200000, 8, MPI_INT,
                     MPI_BXOR, made);
  MPI_Compare_and_swap(at.in, at.in + 8, at.out + 250000, MPI_INT, next(1), 8, made);
  MPI_Win_fence(0, made);
  MPI_Win_free(&made);
}
static const char* folder;
static void file(void) {
  MPI_File opened;
  MPI_File_open(MPI_COMM_WORLD, folder, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &opened);
  MPI_File_write_at_all(opened, rank * 40000, at.in, 10000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(opened, (size + rank) * 40000, at.in, 10, cube, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all(opened, next(1) * 40000, at.out, 10000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(opened, (size + next(1)) * 40000, at.out + 60000, 12, cube,
                       MPI_STATUS_IGNORE);
  MPI_File_close(&opened);
}

static char host[3][room], before[2][room], after[2][room];
static char* device[2];

static void set(void) {
  for (int i = 0; i < 2; ++i) fill(before[i], room, (unsigned)(7 * rank + 3 * i));
  fill(host[2], room, (unsigned)(5 * rank));
}

/* Does an exchange with `in` on a device if bit 0 of `where` is set, and `out` if bit 1 is set. */
static void place(exchange* body, int where) {
  char** const ends[2] = {&at.in, &at.out};
  set();
  for (int i = 0; i < 2; ++i) {
    const int away = where >> i & 1;
    *ends[i] = away ? device[i] : host[i];
    if (away)
      require(driver.to_device((uintptr_t)device[i], before[i], room, NULL) == 0);
    else
      memcpy(host[i], before[i], room);
  }
  if (where != 0) require(driver.await(NULL) == 0);
  body();
  for (int i = 0; i < 2; ++i)
    if (where >> i & 1)
      require(driver.to_host(after[i], (uintptr_t)device[i], room, NULL) == 0);
    else
      memcpy(after[i], host[i], room);
  if (where != 0) require(driver.await(NULL) == 0);
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    exchange* body;
  } all[] = {{"nothing", nothing},
             {"few bytes", few_bytes},
             {"many bytes", many_bytes},
             {"from rows", from_rows},
             {"to rows", to_rows},
             {"many rows", many_rows},
             {"cubes", cubes},
             {"lists", lists},
             {"unexpected", unexpected},
             {"to itself", to_itself},
             {"persistent", persistent},
             {"replaced", replaced},
             {"buffered", buffered},
             {"partitioned", partitioned},
             {"anywhere", anywhere},
             {"packed", packed},
             {"summed", summed},
             {"reduced", reduced},
             {"broadcast", broadcast},
             {"collected", collected},
             {"exchanged", exchanged},
             {"later", later},
             {"neighbours", neighbours},
             {"window", window},
             {"file", file}};
  enum { exchanges = sizeof all / sizeof *all };
  static uint64_t found[exchanges];
  begin(&count, &words);
  folder = words[1];
  make_types();
  at.own = host[2];
  for (int i = 0; i < exchanges; ++i) {
    place(all[i].body, 0);
    found[i] = digest(after, sizeof after);
    say("%s %llx", all[i].name, (unsigned long long)found[i]);
  }
  if (count > 2) {
    begin_devices();
    device[0] = new_memory();
    device[1] = new_memory();
    if (strcmp(words[2], "a window") == 0) {
      MPI_Win made;
      MPI_Win_create(device[0], room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    }
    for (int i = 0; i < exchanges; ++i)
      for (int where = 0; where < 4; ++where) {
        /* Each rank has its memory in another place. */
        place(all[i].body, (where + rank) % 4);
        if (digest(after, sizeof after) != found[i])
          say("%s differs at %d", all[i].name, (where + rank) % 4);
      }
  }
  end();
}
