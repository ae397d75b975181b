// A test program that this file is linked with has MPI itself: it joins a communicator of all ranks
// but the first of MPI_COMM_WORLD, counted backwards, and frees that communicator at once. The
// first rank never calls onehop.

#include <cstdlib>
#include <onehop/mpi.hpp>

#include "support/ranks.hpp"

namespace {

onehop::context join_others(std::string_view transport) {
  MPI_Init(nullptr, nullptr);
  std::atexit([] { MPI_Finalize(); });
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &others);
  if (rank == 0) std::exit(0);
  const onehop::context joined = onehop::join(others, transport);
  MPI_Comm_free(&others);
  return joined;
}

/// The jobs that tests run on are listed while their files are initialised, which is later.
[[gnu::constructor(200)]] void embed() { test::join_launched = join_others; }

}  // namespace
