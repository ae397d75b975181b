#pragma once
/// A job is the MPI job of this process: begun once, ended at exit.

#include <mpi.h>

#include <memory>

#include "transport/module.hpp"
#include "transport/mpi/processes.hpp"

namespace onehop {

/// The module says these facts of itself.
extern "C" const module_facts onehop_module_facts;

}  // namespace onehop

namespace onehop::mpi {

struct job {
  MPI_Comm comm;  ///< communicator of onehop's own
  int rank, size;
  bool crowded;  ///< more ranks on this machine than it has cores
  int last_tag;  ///< the largest that messages may carry
  /// This counts the ranks that have said on `comm` that they leave.
  std::shared_ptr<int> farewells = std::make_shared<int>(0);
};

/// Joins the MPI job; collective. Initialises MPI unless the program has; it is then finalised at
/// exit. Throws usage_error when the launcher is another MPI's, or when this process has joined
/// before, timeout_error when not all ranks join before the deadline. Where some do not even
/// initialise MPI, it ends the process with that message, since no call of MPI can be left.
job join_job(const module_request& request);

/// These note windows, so that those that are open at exit are freed there, by all ranks in the
/// order of opening: freeing a window takes all ranks, as finalising does.
void note_opened(MPI_Win window);
void note_freed(MPI_Win window) noexcept;

/// Makes a communicator of the ranks with the same colour, ordered by key; collective. It is null
/// for a rank of the colour MPI_UNDEFINED.
MPI_Comm split_off(MPI_Comm from, int color, int key);
/// Frees the communicator of a group that no rank uses any more; collective in the group. Waits
/// until every other rank has said that it leaves; `farewells` counts those heard before. The
/// communicator stays where some do not say so soon.
void free_group(MPI_Comm group, int& farewells) noexcept;

/// Returns whether MPI must not be called, since this process is a child that a rank has forked or
/// the program has finalised MPI.
bool mpi_is_gone() noexcept;
/// Throws usage_error when the program has finalised MPI.
void require_mpi();

/// Returns the processes of the job that this process has joined.
const processes& joined_processes() noexcept;

/// Notes that other ranks may not come to finalising: it is left out unless they are there soon.
void mark_doubtful() noexcept;
/// Notes that MPI must not be finalised: other ranks will not come to it.
void mark_broken() noexcept;
/// Notes that all ranks have failed together and will come to finalising after all, so that the
/// launcher need not end any.
void mark_failed_together() noexcept;

}  // namespace onehop::mpi
