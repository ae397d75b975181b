#pragma once
/// Jobs end when their contexts go, and at the latest when MPI is finalised, by the program or at
/// exit. A process has one MPI whatever we do, so what it still owes is known here, for all jobs.

#include "transport/mpi/job.hpp"

namespace onehop::mpi {

/// Notes a job, or a group of one, with a communicator of its own. It is kept until all ranks have
/// dropped it.
void note_job(const job& opened);
/// Frees the communicators of jobs that this rank has dropped and the others have left, too. Waits
/// for nobody.
void free_dropped_jobs() noexcept;
/// Frees the communicator of a group that no rank uses any more; collective in the group. Waits
/// until every other rank has said that it leaves. The communicator stays where some do not say so
/// soon.
void free_group(const job& group) noexcept;

/// These note windows, so that those that are open at exit are freed there, by all ranks in the
/// order of opening: freeing a window takes all ranks, as finalising does.
void note_opened(MPI_Win window, const job& where);
void note_freed(MPI_Win window) noexcept;

/// Has what is still open closed before MPI is finalised, whoever does that.
void close_before_finalise();
/// Finalises MPI at exit, once all ranks of `whole` come to it.
void finalise_at_exit();
/// Says whose ranks all come to finalising MPI at exit.
void note_whole(const job& whole);

/// Notes that this process calls MPI from now on; a child that it forks must not.
void note_caller() noexcept;
/// Returns whether MPI must not be called, since this process is a child that a rank has forked or
/// the program has finalised MPI.
bool mpi_is_gone() noexcept;
/// Throws usage_error when the program has finalised MPI.
void require_mpi();

}  // namespace onehop::mpi
