#include "transport/mpi_rma/region.hpp"

#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/transport.hpp"

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

windows::windows(const mpi::job& where)
    : job_(where), machine_rank_(static_cast<std::size_t>(where.size)) {
  check(MPI_Comm_split_type(where.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine_),
        "MPI_Comm_split_type");
  std::vector<int> all(machine_rank_.size());
  std::iota(all.begin(), all.end(), 0);
  MPI_Group everyone = MPI_GROUP_NULL, neighbours = MPI_GROUP_NULL;
  check(MPI_Comm_group(where.comm, &everyone), "MPI_Comm_group");
  check(MPI_Comm_group(machine_, &neighbours), "MPI_Comm_group");
  check(
      MPI_Group_translate_ranks(everyone, where.size, all.data(), neighbours, machine_rank_.data()),
      "MPI_Group_translate_ranks");
  check(MPI_Group_free(&everyone), "MPI_Group_free");
  check(MPI_Group_free(&neighbours), "MPI_Group_free");
}

shared_window windows::make(std::size_t bytes) const {
  shared_window result;
  void* base = nullptr;
  // MPI promises no alignment; the rest of the first page is left unused.
  const auto space = static_cast<MPI_Aint>(bytes + page_bytes);
  const int code = MPI_Win_allocate_shared(space, 1, MPI_INFO_NULL, machine_,
                                           static_cast<void*>(&base), &result.here);
  if (code != MPI_SUCCESS)
    throw resource_error(text("MPI_Win_allocate_shared has no room for a window of ", bytes,
                              " bytes on rank ", job_.rank, ": take a smaller problem"));
  check(MPI_Win_create(base, space, 1, MPI_INFO_NULL, job_.comm, &result.handle), "MPI_Win_create");
  // At exit in this order: the memory outlives the windows over it.
  for (MPI_Win window : {result.handle, result.here}) {
    check(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
    mpi::note_opened(window);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const MPI_Aint first = static_cast<MPI_Aint>((page_bytes - address % page_bytes) % page_bytes);
  result.local = {static_cast<std::byte*>(base) + first, bytes};
  std::memset(result.local.data(), 0, bytes);
  result.first.resize(static_cast<std::size_t>(job_.size));
  check(MPI_Allgather(&first, 1, MPI_AINT, result.first.data(), 1, MPI_AINT, job_.comm),
        "MPI_Allgather");
  find_neighbours(result);
  return result;
}

void windows::find_neighbours(shared_window& window) const {
  for (std::size_t rank = 0; rank < machine_rank_.size(); ++rank) {
    window.direct.push_back(nullptr);
    if (machine_rank_[rank] == MPI_UNDEFINED) continue;
    MPI_Aint bytes = 0;
    int unit = 0;
    std::byte* base = nullptr;
    check(MPI_Win_shared_query(window.here, machine_rank_[rank], &bytes, &unit,
                               static_cast<void*>(&base)),
          "MPI_Win_shared_query");
    window.direct.back() = base + window.first[rank];
  }
}

void windows::withdraw(memory_id id) noexcept {
  shared_window& gone = by_id_[id];
  if (gone.handle == MPI_WIN_NULL) return;
  for (MPI_Win* window : {&gone.handle, &gone.here}) {
    mpi::note_freed(*window);
    MPI_Win_unlock_all(*window);
    MPI_Win_free(window);
  }
  gone = {};
}

}  // namespace onehop::mpi_rma
