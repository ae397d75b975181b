/* Exchanges with neighbours on grids and graphs. */
#include "say.h"

enum { most = 64 };

static void exchange(const char* name, MPI_Comm comm, int in, int out) {
  int mine[most], from[most], counts[most], places[most];
  MPI_Aint byte_places[most];
  MPI_Datatype types[most];
  MPI_Request one;
#define RESET(i) for (int i = 0; i < most; ++i) mine[i] = 100 * rank + i, from[i] = -1
#define SHOW(what) \
  say("%s " what " %llx", name, (unsigned long long)digest(from, sizeof from))
  for (int i = 0; i < most; ++i) {
    counts[i] = 2;
    places[i] = 3 * i;
    byte_places[i] = 12 * i;
    types[i] = MPI_INT;
  }
  RESET(i);
  MPI_Neighbor_allgather(mine, 2, MPI_INT, from, 2, MPI_INT, comm);
  SHOW("allgather");
  RESET(i);
  MPI_Neighbor_allgatherv(mine, 2, MPI_INT, from, counts, places, MPI_INT, comm);
  SHOW("allgatherv");
  RESET(i);
  MPI_Neighbor_alltoall(mine, 2, MPI_INT, from, 2, MPI_INT, comm);
  SHOW("alltoall");
  RESET(i);
  MPI_Neighbor_alltoallv(mine, counts, places, MPI_INT, from, counts, places, MPI_INT, comm);
  SHOW("alltoallv");
  RESET(i);
  MPI_Neighbor_alltoallw(mine, counts, byte_places, types, from, counts, byte_places, types, comm);
  SHOW("alltoallw");
  RESET(i);
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, from, 1, MPI_INT, comm, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  SHOW("ialltoall");
  RESET(i);
  MPI_Ineighbor_allgather(mine, 1, MPI_INT, from, 1, MPI_INT, comm, &one);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  SHOW("iallgather");
  say("%s has %d and %d", name, in, out);
}

static void grid(int periodic) {
  int extents[2] = {0, 0}, wraps[2] = {periodic, 1};
  MPI_Comm comm;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, wraps, 0, &comm);
  exchange(periodic ? "torus" : "grid", comm, 4, 4);
  MPI_Comm_free(&comm);
}

/* Each rank receives from the rank before it, and twice from the rank after it. */
static void adjacent(void) {
  int from[3] = {next(-1), next(1), next(1)}, to[3] = {next(1), next(-1), next(-1)};
  int weights[3] = {7, 8, 9}, in, out, weighted, froms[3], from_weights[3], tos[3], to_weights[3];
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, weights, 3, to, weights, MPI_INFO_NULL, 0,
                                 &comm);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  MPI_Dist_graph_neighbors(comm, 3, froms, from_weights, 3, tos, to_weights);
  say("adjacent %d %d %d %d %d %d", in, out, weighted, froms[0], from_weights[1], tos[2]);
  exchange("adjacent", comm, in, out);
  MPI_Comm_free(&comm);
}

/* Rank 0 names all edges of a ring. */
static void spread(void) {
  int from[8], degrees[8], to[8], in, out, weighted, kind;
  MPI_Comm comm, copy;
  for (int r = 0; r < size; ++r) from[r] = r, degrees[r] = 1, to[r] = (r + 1) % size;
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, from, degrees, to, MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &comm);
  MPI_Comm_dup(comm, &copy);
  MPI_Dist_graph_neighbors_count(copy, &in, &out, &weighted);
  MPI_Topo_test(copy, &kind);
  say("spread %d %d %d %d", in, out, weighted, kind == MPI_DIST_GRAPH);
  exchange("spread", copy, in, out);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&copy);
}

/* Every rank passes the whole graph, which is a star. */
static void star(void) {
  int index[8], edges[16], count, around[8], nodes, lines;
  MPI_Comm comm;
  index[0] = size - 1;
  for (int r = 1; r < size; ++r) index[r] = size - 1 + r, edges[r - 1] = r, edges[size - 2 + r] = 0;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  MPI_Graph_neighbors_count(comm, rank, &count);
  MPI_Graph_neighbors(comm, rank, count, around);
  MPI_Graphdims_get(comm, &nodes, &lines);
  say("star %d %d %d %d", count, around[0], nodes, lines);
  exchange("star", comm, count, count);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  grid(0);
  grid(1);
  adjacent();
  spread();
  star();
  end();
}
