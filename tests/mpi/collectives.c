/* Collectives of every shape, with every predefined operation on every type to which it applies. */
#include "say.h"

enum { most = 40 };

/* Small integers, so that sums and products are exact in any order. */
static double number(int of, int i) { return 1 + (of * 7 + i * 3) % 3; }

#define REDUCE(type, handle, op)                                                               \
  do {                                                                                         \
    type in[most], out[most], part[most];                                                      \
    memset(out, 0, sizeof out);                                                                \
    memset(part, 0, sizeof part);                                                              \
    for (int i = 0; i < most; ++i) in[i] = (type)number(rank, i);                              \
    MPI_Allreduce(in, out, most, handle, op, MPI_COMM_WORLD);                                  \
    MPI_Scan(in, part, most, handle, op, MPI_COMM_WORLD);                                      \
    uint64_t scanned = 0, all = 0;                                                             \
    for (int i = 0; i < most; ++i) scanned = scanned * 31 + (uint64_t)(int64_t)part[i];        \
    for (int i = 0; i < most; ++i) all = all * 31 + (uint64_t)(int64_t)out[i];                 \
    say(#handle " " #op " %llx %llx", (unsigned long long)all, (unsigned long long)scanned);   \
  } while (0)
#define SUMS(type, handle) \
  REDUCE(type, handle, MPI_SUM); REDUCE(type, handle, MPI_PROD)
#define REALS(type, handle) \
  SUMS(type, handle); REDUCE(type, handle, MPI_MIN); REDUCE(type, handle, MPI_MAX)
#define BITS(type, handle)                                                        \
  REDUCE(type, handle, MPI_BAND); REDUCE(type, handle, MPI_BOR);                  \
  REDUCE(type, handle, MPI_BXOR)
#define LOGIC(type, handle)                                                       \
  REDUCE(type, handle, MPI_LAND); REDUCE(type, handle, MPI_LOR);                  \
  REDUCE(type, handle, MPI_LXOR)
#define WHOLES(type, handle) REALS(type, handle); BITS(type, handle); LOGIC(type, handle)

static void operations(void) {
  WHOLES(signed char, MPI_SIGNED_CHAR);
  WHOLES(unsigned char, MPI_UNSIGNED_CHAR);
  WHOLES(short, MPI_SHORT);
  WHOLES(unsigned short, MPI_UNSIGNED_SHORT);
  WHOLES(int, MPI_INT);
  WHOLES(unsigned, MPI_UNSIGNED);
  WHOLES(long, MPI_LONG);
  WHOLES(unsigned long, MPI_UNSIGNED_LONG);
  WHOLES(long long, MPI_LONG_LONG);
  WHOLES(int8_t, MPI_INT8_T);
  WHOLES(uint16_t, MPI_UINT16_T);
  WHOLES(int32_t, MPI_INT32_T);
  WHOLES(uint64_t, MPI_UINT64_T);
  WHOLES(MPI_Aint, MPI_AINT);
  REALS(float, MPI_FLOAT);
  REALS(double, MPI_DOUBLE);
  REALS(long double, MPI_LONG_DOUBLE);
  BITS(unsigned char, MPI_BYTE);
  LOGIC(_Bool, MPI_C_BOOL);
  SUMS(float _Complex, MPI_C_COMPLEX);
  SUMS(double _Complex, MPI_C_DOUBLE_COMPLEX);
  SUMS(long double _Complex, MPI_C_LONG_DOUBLE_COMPLEX);
}

static void places(void) {
  struct { double value; int place; } in[3] = {{rank % 2, rank}, {-rank, rank}, {4, rank}}, out[3];
  struct { short value; int place; } short_in = {(short)(rank / 2), rank}, short_out;
  MPI_Allreduce(in, out, 3, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) say("minloc %g %d", out[i].value, out[i].place);
  MPI_Allreduce(in, out, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) say("maxloc %g %d", out[i].value, out[i].place);
  MPI_Allreduce(&short_in, &short_out, 1, MPI_SHORT_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  say("maxloc of shorts %d %d", short_out.value, short_out.place);
}

/* Products of 2x2 matrices depend on the order of the ranks. */
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  long *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                       a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static void own_operation(void) {
  MPI_Op product;
  MPI_Datatype matrix;
  int commutes;
  long mine[8] = {1, rank + 1, 0, 1, rank + 2, 1, 1, 0}, all[8] = {0};
  MPI_Op_create(multiply, 0, &product);
  MPI_Type_contiguous(4, MPI_LONG, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_commutative(product, &commutes);
  MPI_Allreduce(mine, all, 2, matrix, product, MPI_COMM_WORLD);
  say("product %llx commutes %d", (unsigned long long)digest(all, sizeof all), commutes);
  memset(all, 0, sizeof all);
  MPI_Reduce(mine, all, 2, matrix, product, size - 1, MPI_COMM_WORLD);
  say("at the last %llx", (unsigned long long)digest(all, sizeof all));
  MPI_Scan(mine, all, 2, matrix, product, MPI_COMM_WORLD);
  say("so far %llx", (unsigned long long)digest(all, sizeof all));
  if (rank > 0) memset(all, 0, sizeof all);
  MPI_Exscan(mine, all, 2, matrix, product, MPI_COMM_WORLD);
  if (rank > 0) say("before %llx", (unsigned long long)digest(all, sizeof all));
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
}

/* Blocks have `count` numbers. In collectives with a count per rank, the block of rank r has r more,
   and so has in alltoallv each block for rank r. */
static void blocks(int count) {
  const int all = size * (count + size);
  int *from = malloc(sizeof(int) * (size_t)all), *to = malloc(sizeof(int) * (size_t)all);
  int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size);
  int *mine = malloc(sizeof(int) * (size_t)size), *mine_at = malloc(sizeof(int) * (size_t)size);
#define SHOW(name) \
  say(name " of %d: %llx", count, (unsigned long long)digest(to, sizeof(int) * (size_t)all))
#define RESET(i)                                                    \
  for (int i = 0; i < all; ++i) from[i] = 1000 * rank + i, to[i] = -1
  for (int r = 0, at = 0; r < size; ++r) {
    counts[r] = count + r;
    places[r] = at;
    at += counts[r];
    mine[r] = count + rank;
    mine_at[r] = r * (count + rank);
  }
  RESET(i);
  if (rank == size - 1) memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Bcast(to, all, MPI_INT, size - 1, MPI_COMM_WORLD);
  SHOW("bcast");
  RESET(i);
  MPI_Gather(from, count, MPI_INT, to, count, MPI_INT, size / 2, MPI_COMM_WORLD);
  SHOW("gather");
  RESET(i);
  MPI_Scatter(from, count, MPI_INT, to, count, MPI_INT, size / 2, MPI_COMM_WORLD);
  SHOW("scatter");
  RESET(i);
  MPI_Allgather(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD);
  SHOW("allgather");
  RESET(i);
  MPI_Alltoall(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD);
  SHOW("alltoall");
  RESET(i);
  MPI_Gatherv(from, count + rank, MPI_INT, to, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  SHOW("gatherv");
  RESET(i);
  MPI_Scatterv(from, counts, places, MPI_INT, to, count + rank, MPI_INT, 0, MPI_COMM_WORLD);
  SHOW("scatterv");
  RESET(i);
  MPI_Allgatherv(from, count + rank, MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD);
  SHOW("allgatherv");
  RESET(i);
  MPI_Alltoallv(from, counts, places, MPI_INT, to, mine, mine_at, MPI_INT, MPI_COMM_WORLD);
  SHOW("alltoallv");
  RESET(i);
  MPI_Reduce_scatter_block(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  SHOW("reduce_scatter_block");
  RESET(i);
  MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  SHOW("reduce_scatter");

  RESET(i);
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Allreduce(MPI_IN_PLACE, to, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  SHOW("allreduce in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : to, to, all, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) SHOW("reduce in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, count, MPI_INT, MPI_COMM_WORLD);
  SHOW("allgather in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, count, MPI_INT, MPI_COMM_WORLD);
  SHOW("alltoall in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : to, count, MPI_INT, to, count, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) SHOW("gather in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Scatter(to, count, MPI_INT, rank == 0 ? MPI_IN_PLACE : to, count, MPI_INT, 0, MPI_COMM_WORLD);
  SHOW("scatter in place");
  memcpy(to, from, sizeof(int) * (size_t)all);
  MPI_Scan(MPI_IN_PLACE, to, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  SHOW("scan in place");
  free(from); free(to); free(counts); free(places); free(mine); free(mine_at);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  operations();
  places();
  own_operation();
  blocks(0);
  blocks(1);
  blocks(5000);
  for (int i = 0; i < 50; ++i) MPI_Barrier(MPI_COMM_WORLD);
  end();
}
