#pragma once
/// A launcher starts the ranks of one job on this machine with these functions.
///
/// The launcher makes a segment, starts `ranks` processes that inherit its descriptor, and tells
/// each through its environment who it is: ONEHOP_RANK, ONEHOP_SIZE, ONEHOP_SEGMENT_FD. The
/// processes call join. The segment has no name, so that nothing is left behind however the job
/// ends, and nobody else can join.
///
/// A rank asks the kernel to kill it when its parent goes. The kernel means the parent *thread*:
/// start the ranks from a thread that lives as long as they do.

#include <onehop/detail/language.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onehop {

/// Makes the shared memory of a job and returns its descriptor (close-on-exec). The memory is
/// sparse and may be larger than /dev/shm; windows reserve what they need, as far as there is room.
///
/// Throws usage_error for a number of ranks outside 1 to 4096, and resource_error when /dev/shm
/// cannot be used or has no room even for the control area.
int create_segment(int ranks);

/// Makes every wait of every rank throw peer_error "rank <rank> failed: <reason>". The first reason
/// of a job is kept. The launcher calls it for a rank that ended without saying why: killed,
/// crashed, or with an exit code other than 0.
void mark_failed(int segment_fd, int rank, std::string_view reason);

struct job_failure {
  int rank;
  std::string reason;
};
/// Returns the first failure that a rank or the launcher reported, if any.
std::optional<job_failure> first_failure(int segment_fd);

/// An mpi_place is a rank and the size of the job as an MPI launcher counts them.
struct mpi_place {
  int rank, size;
};
/// Returns what mpirun or srun told this process through its environment, and nothing inside onehop
/// run.
std::optional<mpi_place> launched_by_mpi();

/// An mpi_installation is an MPI that a module was built for, or that the module for the standard
/// ABI found.
struct mpi_installation {
  std::string name;      ///< "MPICH 5.0.2"
  std::string launcher;  ///< path of its mpirun, empty when none was found
  std::string problem;   ///< why its module cannot be used, empty when it can
};
/// Describes all modules that join would find, best first, which loads them.
std::vector<mpi_installation> mpi_installations();

}  // namespace onehop
