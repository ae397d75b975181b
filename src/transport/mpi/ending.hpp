#pragma once
/// A job ends when its contexts are gone, and at the latest when MPI is finalised, by the program
/// or at exit. A process has only one MPI, so what remains to be freed is recorded here for all
/// jobs.

#include "transport/mpi/job.hpp"

namespace onehop::mpi {

/// Notes a job or group that has a communicator of its own. It is kept until all ranks have dropped
/// it.
void note_job(const job& opened);
/// Frees the communicators of jobs that both this rank and the others have left. Never waits.
void free_dropped_jobs() noexcept;
/// Frees the communicator of a group that no rank uses any more; collective in the group. Waits
/// until every other rank has said that it leaves. If some do not say so soon, the communicator is
/// not freed.
void free_group(const job& group) noexcept;

/// These note windows, so that all ranks free those that are open at exit in the order of opening.
/// All ranks must take part in freeing a window, as in finalising.
void note_opened(MPI_Win window, const job& where);
void note_freed(MPI_Win window) noexcept;

/// Closes everything that is still open before MPI is finalised, no matter who finalises it.
void close_before_finalise();
/// Finalises MPI at exit once all ranks of `whole` have reached it.
void finalise_at_exit();
/// Notes the job whose ranks all take part in finalising MPI at exit.
void note_whole(const job& whole);

/// Notes that this process calls MPI from now on; a child that it forks must not do so.
void note_caller() noexcept;
/// Returns whether MPI must not be called, because a rank has forked this process or the program
/// has finalised MPI.
bool mpi_is_gone() noexcept;
/// Throws usage_error if the program has finalised MPI.
void require_mpi();

}  // namespace onehop::mpi
