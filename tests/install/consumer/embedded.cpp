#include <mpi.h>

#include <cstdio>
#include <onehop/collectives.hpp>
#include <onehop/mpi.hpp>

int main() {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm odd = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 1 ? 0 : MPI_UNDEFINED, rank, &odd);
  if (odd != MPI_COMM_NULL) {
    const onehop::context job = onehop::join(odd);
    const auto ranks = onehop::allgather(job, rank);
    if (job.rank() == 0)
      std::printf("ranks %d and %d by %s\n", ranks[0], ranks[1], job.transport().data());
    MPI_Comm_free(&odd);
  }
  MPI_Finalize();
}
