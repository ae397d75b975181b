#include "transport/mpi_rma/window.hpp"

#include <cstdint>
#include <cstring>
#include <exception>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/context.hpp"

namespace onehop::mpi_rma {
namespace {

using mpi::check;
constexpr std::size_t page_bytes = 4096;

}  // namespace

memory_id windows::expose(std::span<const std::size_t> bytes_of_rank) {
  const auto id = static_cast<memory_id>(by_id_.size());
  by_id_.emplace_back();
  int fits = 1;
  std::exception_ptr refusal;
  try {
    mpi::check_share("mpi_rma", bytes_of_rank, job_.rank);
  } catch (const resource_error&) {
    fits = 0;
    refusal = std::current_exception();
  }
  // The allocation is collective: either all come to it or none.
  check(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, job_.comm), "MPI_Allreduce");
  if (refusal) std::rethrow_exception(refusal);
  if (fits != 0) by_id_[id] = make(bytes_of_rank[static_cast<std::size_t>(job_.rank)]);
  return id;
}

shared_window windows::make(std::size_t bytes) const {
  shared_window result;
  void* base = nullptr;
  // MPI promises no alignment; the rest of the first page is left unused.
  const auto room = static_cast<MPI_Aint>(bytes + page_bytes);
  const int code = MPI_Win_allocate(room, 1, MPI_INFO_NULL, job_.comm, static_cast<void*>(&base),
                                    &result.handle);
  if (code != MPI_SUCCESS)
    throw resource_error(text("MPI_Win_allocate has no room for a window of ", bytes,
                              " bytes on rank ", job_.rank, ": take a smaller problem"));
  check(MPI_Win_set_errhandler(result.handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, result.handle), "MPI_Win_lock_all");
  mpi::note_opened(result.handle);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const MPI_Aint first = static_cast<MPI_Aint>((page_bytes - address % page_bytes) % page_bytes);
  result.local = {static_cast<std::byte*>(base) + first, bytes};
  std::memset(result.local.data(), 0, bytes);
  result.first.resize(static_cast<std::size_t>(job_.size));
  check(MPI_Allgather(&first, 1, MPI_AINT, result.first.data(), 1, MPI_AINT, job_.comm),
        "MPI_Allgather");
  return result;
}

void windows::withdraw(memory_id id) noexcept {
  shared_window& gone = by_id_[id];
  if (gone.handle == MPI_WIN_NULL) return;
  mpi::note_freed(gone.handle);
  MPI_Win_unlock_all(gone.handle);
  MPI_Win_free(&gone.handle);
  gone = {};
}

}  // namespace onehop::mpi_rma
