#pragma once
/// A launcher uses these functions to start the ranks of one job on this machine.
///
/// The launcher makes a segment, starts `ranks` processes that inherit its descriptor, and tells
/// each process through its environment which rank it is: ONEHOP_RANK, ONEHOP_SIZE,
/// ONEHOP_SEGMENT_FD. The processes then call join. The segment has no name, so nothing is left
/// behind however the job ends, and no other process can join.
///
/// Each rank asks the kernel to kill it when its parent ends. The kernel takes the parent to be the
/// *thread* that started it, so start the ranks from a thread that lives as long as they do.

#include <onehop/detail/language.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onehop {

/// Makes the shared memory of a job and returns its descriptor (close-on-exec). The memory is
/// sparse and may be larger than /dev/shm; windows reserve what they need while there is room.
///
/// Throws usage_error unless the number of ranks is from 1 to 4096, and resource_error if /dev/shm
/// cannot be used or has no room even for the control area.
int create_segment(int ranks);

/// Makes every wait of every rank throw peer_error "rank <rank> failed: <reason>". A job keeps its
/// first reason only. The launcher calls this for a rank that ended without giving a reason: it was
/// killed, crashed, or returned an exit code other than 0.
void mark_failed(int segment_fd, int rank, std::string_view reason);

struct job_failure {
  int rank;
  std::string reason;
};
/// Returns the first failure that a rank or the launcher reported, if any.
std::optional<job_failure> first_failure(int segment_fd);

/// An mpi_place holds a rank and the size of the job as an MPI launcher numbers them.
struct mpi_place {
  int rank, size;
};
/// Returns what mpirun or srun told this process through its environment, and nothing inside onehop
/// run.
std::optional<mpi_place> launched_by_mpi();

/// An mpi_installation is an MPI for which a module was built, or one that the module for the
/// standard ABI found.
struct mpi_installation {
  std::string name;      ///< "MPICH 5.0.2"
  std::string launcher;  ///< path of its mpirun, empty if none was found
  std::string problem;   ///< why its module cannot be used, empty if it can
};
/// Loads all modules that join would find and describes them, the preferred one first.
std::vector<mpi_installation> mpi_installations();

}  // namespace onehop
