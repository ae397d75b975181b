/// This program does the steps of onehop bench with plain MPI, by any implementation: mpirun -n N
/// mpi_peer FOLDER [CORES]

#include <mpi.h>

#include <cstdio>

#include "benchmarks/peers/mpi_collectives.hpp"
#include "benchmarks/peers/mpi_features.hpp"
#include "benchmarks/peers/mpi_items.hpp"
#include "benchmarks/peers/mpi_messages.hpp"
#include "benchmarks/peers/mpi_neighbours.hpp"
#include "benchmarks/peers/mpi_one_sided.hpp"
#include "benchmarks/peers/mpi_sums.hpp"
#include "benchmarks/peers/serve.hpp"

using namespace onehop::bench;

namespace {

workshop make_workshop() {
  workshop shop;
  shop.add_halo<mpi_plain_messages>("isend");
  shop.add_halo<mpi_persistent_messages>("persistent");
  shop.add_halo<mpi_neighbour_alltoallv>("neighbour-alltoallv");
  shop.add_halo<mpi_fence>("fence");
  shop.add_halo<mpi_post_start>("pscw");
  shop.add_halo<mpi_flush_barrier>("flush-barrier");
  shop.add_halo<mpi_flush_flag>("flush-flag");
  shop.add_allreduce<mpi_allreduce>("allreduce");
  shop.add_reduce_scatter<mpi_reduce_scatter>("reduce-scatter-block");
  shop.add_carried<mpi_broadcast>("broadcast", "broadcast", carried_blocks::of_broadcast);
  shop.add_carried<mpi_allgather>("allgather", "allgather", carried_blocks::of_allgather);
  shop.add_carried<mpi_alltoall>("alltoall", "alltoall", carried_blocks::of_alltoall);
  shop.add_carried<mpi_alltoallv>("alltoallv", "alltoallv", carried_blocks::of_alltoallv);
  shop.add_carried<mpi_counts_alltoallv>("alltoallv", "counts-alltoallv",
                                         carried_blocks::of_alltoallv);
  shop.add_barrier<mpi_barrier>("barrier");
  shop.add_stream<mpi_items>("isend");
#if ONEHOP_PEER_HAS_MPI_4
  shop.add_halo<mpi_partitioned_message>("partitioned");
  shop.add_halo<mpi_persistent_neighbours>("persistent-neighbour");
  shop.add_allreduce<mpi_persistent_allreduce>("persistent");
#endif
  return shop;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mpi_peer FOLDER [CORES]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pin(argc > 2 ? argv[2] : "", rank);
  const workshop shop = make_workshop();
  const bool served = server(shop, rank, size, [] { MPI_Barrier(MPI_COMM_WORLD); }).serve(argv[1]);
  if (!served) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Finalize();
  return 0;
}
