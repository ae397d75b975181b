/* Random collectives. Functions, communicators, types, operations, counts and roots are drawn from
   a seed that every rank knows. Some block, some complete later, and some are started twice. */
#include "draw.h"
#include "say.h"

enum { communicators = 5, numbers = 6, shapes = 3, most = 6, most_ranks = 16 };
enum how { blocks, later, persistent };
enum what {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  first_reduction,
  reduce = first_reduction,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  functions
};

/* Types with the operations that are valid for any bits. */
static struct {
  MPI_Datatype type;
  size_t bytes;
  MPI_Op ops[4];
} number[numbers];
static MPI_Comm comms[communicators];
static MPI_Datatype moved[shapes];
static MPI_Aint extents[shapes];

/* Each call has its own memory until it is complete. */
struct call {
  int what, how, in_place, count, root, ranks, me, number_kind, type_kind, op, degree;
  MPI_Comm comm;
  MPI_Request request;
  char *in, *out;
  size_t bytes;
  int counts[2][most_ranks], places[2][most_ranks];
  MPI_Datatype types[2][most_ranks];
};

/* Composes functions a x + b, for which the order matters. */
static void compose(void* first, void* then, int* count, MPI_Datatype* type) {
  const uint64_t* one = first;
  uint64_t* other = then;
  (void)type;
  for (int i = 0; i < *count; ++i, one += 2, other += 2) {
    other[1] += other[0] * one[1];
    other[0] *= one[0];
  }
}

static void make_numbers(void) {
  MPI_Datatype pair;
  MPI_Op after;
  MPI_Type_contiguous(2, MPI_UINT64_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &after);
  const MPI_Datatype types[numbers] = {MPI_INT,    MPI_UINT8_T, MPI_INT64_T,
                                       MPI_DOUBLE, MPI_2INT,    pair};
  const size_t bytes[numbers] = {4, 1, 8, 8, 8, 16};
  const MPI_Op ops[numbers][4] = {{MPI_SUM, MPI_MAX, MPI_BXOR, MPI_LAND},
                                  {MPI_PROD, MPI_MIN, MPI_BAND, MPI_LXOR},
                                  {MPI_SUM, MPI_PROD, MPI_BOR, MPI_LOR},
                                  {MPI_SUM, MPI_MAX, MPI_MIN, MPI_SUM},
                                  {MPI_MINLOC, MPI_MAXLOC, MPI_MINLOC, MPI_MAXLOC},
                                  {after, after, after, after}};
  for (int i = 0; i < numbers; ++i) {
    number[i].type = types[i];
    number[i].bytes = bytes[i];
    memcpy(number[i].ops, ops[i], sizeof ops[i]);
  }
}

/* In the graph every rank sends to several ranks, and to one of them twice. */
static void make(void) {
  int from[3], to[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + 1) % size, &comms[3]);
  for (int i = 0; i < 3; ++i) {
    to[i] = next(i / 2 + 1);
    from[i] = next(-(i / 2 + 1));
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, MPI_UNWEIGHTED, 3, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comms[4]);
  moved[0] = MPI_INT16_T;
  MPI_Type_vector(2, 3, 4, MPI_INT, &moved[1]);
  MPI_Type_create_struct(2, (int[]){3, 1}, (MPI_Aint[]){0, 8},
                         (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &moved[2]);
  for (int i = 0; i < shapes; ++i) {
    MPI_Aint lower;
    if (i > 0) MPI_Type_commit(&moved[i]);
    MPI_Type_get_extent(moved[i], &lower, &extents[i]);
  }
  make_numbers();
}

static size_t extent_of(const struct call* one) {
  return one->what >= first_reduction ? number[one->number_kind].bytes
                                      : (size_t)extents[one->type_kind];
}

/* Draws the parts of a vector collective: what this rank sends to each rank (or each rank has), and
   what it receives. Displacements in alltoallw are bytes. */
static void draw_parts(struct call* one, int parts) {
  const int unit = one->what == alltoallw ? (int)extent_of(one) : 1;
  int all[most_ranks][most_ranks], place[2] = {0, 0};
  for (int i = 0; i < parts; ++i)
    for (int j = 0; j < parts; ++j) all[i][j] = (int)draw((unsigned)one->count + 1);
  const int gap = (int)draw(3), same = one->what != alltoallv && one->what != alltoallw;
  for (int i = 0; i < parts; ++i) {
    const int sends = same ? all[0][i] : all[one->me][i],
              receives = same ? all[0][i] : all[i][one->me];
    one->counts[0][i] = sends;
    one->counts[1][i] = receives;
    for (int side = 0; side < 2; ++side) {
      one->places[side][i] = place[side] * unit;
      one->types[side][i] = moved[one->type_kind];
      place[side] += one->counts[side][i] + gap;
    }
  }
}

/* A rank has one edge for each rank that it sends to or receives from. The amount of
   data on an edge is drawn for its index, which is the same in the lists of both ranks. */
static void draw_edges(struct call* one) {
  int place = 0;
  for (int i = 0; i < 3; ++i) {
    one->counts[0][i] = one->counts[1][i] = (int)draw((unsigned)one->count + 1);
    one->places[0][i] = one->places[1][i] = place;
    place += one->counts[0][i] + 1;
  }
  if (one->what == neighbor_allgatherv)
    for (int i = 0; i < 3; ++i) one->counts[1][i] = one->count;
  for (int i = 0; i < 3; ++i)
    if (one->what == neighbor_allgatherv) one->places[1][i] = i * (one->count + 1);
}

static void draw_call(struct call* one, unsigned seed) {
  const unsigned length = draw(8);
  one->what = (int)draw(functions);
  one->how = (int)draw(3);
  one->in_place = draw(4) == 0;
  one->count = (int)draw(length == 0 ? 5000 : 40);
  one->number_kind = (int)draw(numbers);
  one->type_kind = (int)draw(shapes);
  one->op = (int)draw(4);
  const int is_neighbor = one->what >= neighbor_allgather && one->what <= neighbor_alltoallv;
  one->comm = comms[is_neighbor ? 4 : draw(communicators)];
  const unsigned root = draw(1000);
  MPI_Comm_size(one->comm, &one->ranks);
  MPI_Comm_rank(one->comm, &one->me);
  one->root = (int)root % one->ranks;
  if (is_neighbor)
    draw_edges(one);
  else
    draw_parts(one, size);
  if (one->what == reduce_scatter)
    for (int i = 0; i < one->ranks; ++i) one->counts[1][i] = one->counts[0][i];
  one->bytes = extent_of(one) * (size_t)((one->count + 3) * (size + 3)) + 64;
  one->in = malloc(one->bytes);
  one->out = malloc(one->bytes);
  fill(one->in, one->bytes, seed + (unsigned)one->me);
  fill(one->out, one->bytes, seed + 77 + (unsigned)one->me);
  if (number[one->number_kind].type == MPI_DOUBLE && one->what >= first_reduction)
    for (size_t i = 0; i < one->bytes / 8; ++i) {
      ((double*)one->in)[i] = (double)((i * 7 + seed + (unsigned)one->me) % 1000);
      ((double*)one->out)[i] = (double)((i * 5 + seed + (unsigned)one->me) % 1000);
    }
}

/* The function of this name in each of its three forms. */
#define ONEHOP_CASE(Name, name, ...)                                \
  case name:                                                        \
    if (one->how == blocks) MPI_##Name(__VA_ARGS__);                \
    if (one->how == later) MPI_I##name(__VA_ARGS__, &one->request); \
    if (one->how == persistent) {                                   \
      MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &one->request); \
      MPI_Start(&one->request);                                     \
    }                                                               \
    break;

static void move(struct call* one) {
  const MPI_Datatype type = moved[one->type_kind];
  const int count = one->count, root = one->root, is_root = one->me == root;
  const MPI_Comm comm = one->comm;
  int *const sends = one->counts[0], *const receives = one->counts[1];
  int *const from = one->places[0], *const to = one->places[1];
  void *in = one->in, *out = one->out;
  const void* own = one->in_place ? MPI_IN_PLACE : in;
  const void* at_root = one->in_place && is_root ? MPI_IN_PLACE : in;
  void* back = one->in_place && is_root ? MPI_IN_PLACE : out;
  switch (one->what) {
    ONEHOP_CASE(Barrier, barrier, comm)
    ONEHOP_CASE(Bcast, bcast, is_root ? in : out, count, type, root, comm)
    ONEHOP_CASE(Gather, gather, at_root, count, type, out, count, type, root, comm)
    ONEHOP_CASE(Gatherv, gatherv, at_root, receives[one->me], type, out, receives, to, type, root,
                comm)
    ONEHOP_CASE(Scatter, scatter, in, count, type, back, count, type, root, comm)
    ONEHOP_CASE(Scatterv, scatterv, in, sends, from, type, back, sends[one->me], type, root, comm)
    ONEHOP_CASE(Allgather, allgather, own, count, type, out, count, type, comm)
    ONEHOP_CASE(Allgatherv, allgatherv, own, receives[one->me], type, out, receives, to, type, comm)
    ONEHOP_CASE(Alltoall, alltoall, own, count, type, out, count, type, comm)
    ONEHOP_CASE(Alltoallv, alltoallv, in, sends, from, type, out, receives, to, type, comm)
    ONEHOP_CASE(Alltoallw, alltoallw, in, sends, from, one->types[0], out, receives, to,
                one->types[1], comm)
    ONEHOP_CASE(Neighbor_allgather, neighbor_allgather, in, count, type, out, count, type, comm)
    ONEHOP_CASE(Neighbor_allgatherv, neighbor_allgatherv, in, count, type, out, receives, to, type,
                comm)
    ONEHOP_CASE(Neighbor_alltoall, neighbor_alltoall, in, count, type, out, count, type, comm)
    ONEHOP_CASE(Neighbor_alltoallv, neighbor_alltoallv, in, sends, from, type, out, receives, to,
                type, comm)
  }
}

static void combine(struct call* one) {
  const MPI_Datatype type = number[one->number_kind].type;
  const MPI_Op op = number[one->number_kind].ops[one->op];
  const MPI_Comm comm = one->comm;
  const int count = one->count, root = one->root;
  void* out = one->out;
  const void* in =
      one->in_place && (one->what != reduce || one->me == root) ? MPI_IN_PLACE : one->in;
  switch (one->what) {
    ONEHOP_CASE(Reduce, reduce, in, out, count, type, op, root, comm)
    ONEHOP_CASE(Allreduce, allreduce, in, out, count, type, op, comm)
    ONEHOP_CASE(Reduce_scatter, reduce_scatter, in, out, one->counts[1], type, op, comm)
    ONEHOP_CASE(Reduce_scatter_block, reduce_scatter_block, in, out, count, type, op, comm)
    ONEHOP_CASE(Scan, scan, in, out, count, type, op, comm)
    ONEHOP_CASE(Exscan, exscan, in, out, count, type, op, comm)
  }
}

/* The first rank's result of an exclusive scan is undefined, and so is an in-place reduce_scatter's
   buffer outside of the part that a rank keeps. */
static uint64_t found_in(const struct call* one) {
  size_t bytes = one->bytes;
  if (one->what == exscan && one->me == 0) return 0;
  if (one->what == reduce_scatter && one->in_place)
    bytes = extent_of(one) * (size_t)one->counts[1][one->me];
  if (one->what == reduce_scatter_block && one->in_place)
    bytes = extent_of(one) * (size_t)one->count;
  return digest(one->out, bytes);
}

static void play_round(unsigned round, unsigned fill_seed) {
  struct call calls[most];
  const int count = 1 + (int)draw(most);
  uint64_t found = 0;
  for (int i = 0; i < count; ++i) {
    calls[i].request = MPI_REQUEST_NULL;
    draw_call(&calls[i], fill_seed + (unsigned)i);
    if (calls[i].what < first_reduction)
      move(&calls[i]);
    else
      combine(&calls[i]);
  }
  for (int i = count - 1; i >= 0; --i) MPI_Wait(&calls[i].request, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    struct call* one = &calls[i];
    if (one->how == persistent &&
        !(one->in_place && (one->what == reduce_scatter || one->what == reduce_scatter_block))) {
      MPI_Start(&one->request);
      MPI_Wait(&one->request, MPI_STATUS_IGNORE);
    }
    if (one->how == persistent) MPI_Request_free(&one->request);
    found = found * 31 + found_in(one);
    free(one->in);
    free(one->out);
  }
  say("round %u: %d collectives %llx", round, count, (unsigned long long)found);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make();
  play_rounds(argv, play_round);
  end();
}
