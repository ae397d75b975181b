#pragma once
/// These are the processes of a job's ranks on this machine. They tell which processes live, and
/// remove what dead ones would leave behind.

#include <mpi.h>

#include <optional>
#include <vector>

#include "machine/process.hpp"

namespace onehop::mpi {

/// An ended_process names a rank and its process number.
struct ended_process {
  int rank;
  std::int64_t number;
};

class processes {
 public:
  /// The constructor is collective.
  explicit processes(MPI_Comm comm);

  /// Returns the lowest rank after `rank` whose process has ended without saying why. In that case
  /// mpirun ends the job, but srun does so only if told to.
  std::optional<ended_process> next_ended(int rank) const noexcept;

 private:
  struct neighbour {
    int rank;
    process_identity process;
  };
  std::vector<neighbour> here_;  ///< the other ranks of this machine
};

/// Removes the names of MPICH's shared memory that this process has mapped. MPICH itself removes
/// them only when it ends, so a killed job would leave them. All ranks of the machine must have
/// mapped it before.
void unlink_mapped_memory() noexcept;

}  // namespace onehop::mpi
