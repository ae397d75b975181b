// The functions of the ABI that make windows, return their properties, and begin and end epochs.

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/hints.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"

namespace onehop::mpi_abi {
namespace {

void require_size(MPI_Aint bytes, unit_type unit) {
  if (bytes < 0) throw mpi_error(err_size, text("the size is ", bytes));
  if (unit < 1) throw mpi_error(err_disp, text("the unit of displacements is ", unit));
}

/// A window_memory describes this rank's memory for a window, and keeps it alive.
struct window_memory {
  void* base;
  std::shared_ptr<const shared_parts> shared{};
  std::shared_ptr<void> own{};
};

MPI_Win make(const communicator_ptr& parent, int flavor, window_memory memory, MPI_Aint bytes,
             unit_type unit, MPI_Info hints) {
  const window_part mine{token_of(static_cast<std::byte*>(memory.base)), bytes, unit};
  auto made =
      std::make_shared<window>(private_duplicate(parent), flavor, mine, std::move(memory.shared));
  made->memory = std::move(memory.own);
  take_hints(made->comm()->hints, hints_in(hints), window_hints);
  return new_handle(std::move(made));
}

/// Returns memory that the ranks share or, if that is impossible, memory of this rank. It begins at
/// a cache line, so that ranks do not share one.
window_memory allocate(const communicator_ptr& parent, MPI_Aint bytes) {
  constexpr std::size_t line = 64;
  const auto room = static_cast<std::size_t>(bytes);
  if (auto shared = shared_parts::make(parent, room, line)) {
    void* const mine = shared->part(parent->rank());
    return {mine, std::move(shared)};
  }
  void* const memory = std::aligned_alloc(line, (room + line) / line * line);
  if (memory == nullptr)
    throw mpi_error(err_no_mem, text("there are no ", bytes, " bytes of memory left"));
  return {memory, nullptr, {memory, std::free}};
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int ONEHOP_ABI(MPI_Win_create)(void* base, MPI_Aint bytes, unit_type unit, MPI_Info hints,
                               MPI_Comm comm, MPI_Win* made) {
  return guarded(comm, {__func__, hints, made}, [&] {
    require_size(bytes, unit);
    require_memory(base, bytes);
    *made = make(one_group_of(comm), flavor_create, {base}, bytes, unit, hints);
  });
}

int ONEHOP_ABI(MPI_Win_allocate)(MPI_Aint bytes, unit_type unit, MPI_Info hints, MPI_Comm comm,
                                 void* base, MPI_Win* made) {
  return guarded(comm, {__func__, hints, base, made}, [&] {
    require_size(bytes, unit);
    window_memory memory = allocate(one_group_of(comm), bytes);
    void* const first = memory.base;
    *made = make(one_group_of(comm), flavor_allocate, std::move(memory), bytes, unit, hints);
    std::memcpy(base, &first, sizeof first);
  });
}

int ONEHOP_ABI(MPI_Win_allocate_shared)(MPI_Aint bytes, unit_type unit, MPI_Info hints,
                                        MPI_Comm comm, void* base, MPI_Win* made) {
  return guarded(comm, {__func__, hints, base, made}, [&] {
    require_size(bytes, unit);
    const communicator_ptr& parent = one_group_of(comm);
    auto shared = shared_parts::make(parent, static_cast<std::size_t>(bytes), 1);
    if (!shared) throw mpi_error(err_rma_shared, "the ranks cannot share memory");
    void* const first = bytes == 0 ? nullptr : shared->part(parent->rank());
    *made = make(parent, flavor_shared, {first, std::move(shared)}, bytes, unit, hints);
    std::memcpy(base, &first, sizeof first);
  });
}

int ONEHOP_ABI(MPI_Win_shared_query)(MPI_Win handle, int rank, MPI_Aint* bytes, unit_type* unit,
                                     void* base) {
  return guarded_window(handle, {__func__, bytes, unit, base}, [&](window& here) {
    if (here.shared() == nullptr) {
      // Only memory allocated for all ranks is shared; null says that this window's memory is not.
      void* const none = nullptr;
      *bytes = 0;
      *unit = 1;
      std::memcpy(base, &none, sizeof none);
      return;
    }
    if (rank == proc_null)
      for (rank = 0; rank + 1 < here.comm()->size() && here.part(rank).bytes == 0;) ++rank;
    require_target(here, rank);
    // A part of no bytes has no address.
    void* const first = here.part(rank).bytes == 0 ? nullptr : here.shared()->part(rank);
    *bytes = here.part(rank).bytes;
    *unit = static_cast<unit_type>(here.part(rank).unit);
    std::memcpy(base, &first, sizeof first);
  });
}
}
