#include "transport/mpi_rma/region.hpp"

#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"

namespace onehop::mpi_rma {

using mpi::check;

memory_id windows::expose_existing(std::span<std::byte> mine) {
  const auto id = static_cast<memory_id>(by_id_.size());
  opened_window& added = by_id_.emplace_back();
  int fits = mine.data() != nullptr ? 1 : 0;
  // Opening is collective, so either all ranks take part or none.
  check(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, job_.comm), "MPI_Allreduce");
  if (fits == 0) return id;
  added.local = mine;
  check(MPI_Win_create(mine.data(), static_cast<MPI_Aint>(mine.size()), 1, MPI_INFO_NULL, job_.comm,
                       &added.handle),
        "MPI_Win_create");
  check(MPI_Win_set_errhandler(added.handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, added.handle), "MPI_Win_lock_all");
  mpi::note_opened(added.handle, job_);
  return id;
}

void windows::withdraw(memory_id id) noexcept {
  opened_window& gone = by_id_[id];
  if (gone.handle == MPI_WIN_NULL) return;
  if (mpi::mpi_is_gone()) {
    gone = {};
    return;
  }
  mpi::note_freed(gone.handle);
  MPI_Win_unlock_all(gone.handle);
  MPI_Win_free(&gone.handle);
  gone = {};
}

}  // namespace onehop::mpi_rma
