#pragma once
/// These are the processes of a job's ranks, as far as they are on this machine: whether they live,
/// and what would be left of them.

#include <mpi.h>

#include <optional>
#include <vector>

#include "machine/process.hpp"

namespace onehop::mpi {

/// An ended_process is a rank and its process number.
struct ended_process {
  int rank;
  std::int64_t number;
};

class processes {
 public:
  /// The constructor is collective.
  explicit processes(MPI_Comm comm);

  /// Returns the lowest rank after `rank` whose process has ended without saying why. mpirun ends
  /// the job then, srun only when it was told to.
  std::optional<ended_process> next_ended(int rank) const noexcept;

 private:
  struct neighbour {
    int rank;
    process_identity process;
  };
  std::vector<neighbour> here_;  ///< the other ranks of this machine
};

/// Takes away the names of MPICH's shared memory, which this process has mapped: MPICH does so when
/// it ends, and a job that is killed would leave them. All ranks of the machine must have it
/// mapped.
void unlink_mapped_memory() noexcept;

}  // namespace onehop::mpi
