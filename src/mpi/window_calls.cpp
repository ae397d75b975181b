// The functions of the ABI that make windows, say what they are, and begin and end epochs.

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
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

MPI_Win make(const communicator_ptr& parent, int flavor, void* base, MPI_Aint bytes, unit_type unit,
             std::shared_ptr<void> memory) {
  auto made =
      std::make_shared<window>(private_duplicate(parent), flavor,
                               window_part{token_of(static_cast<std::byte*>(base)), bytes, unit});
  made->memory = std::move(memory);
  return new_handle(std::move(made));
}

std::shared_ptr<void> allocate(MPI_Aint bytes) {
  constexpr std::size_t line = 64;
  const auto room = (static_cast<std::size_t>(bytes) + line) / line * line;
  void* const memory = std::aligned_alloc(line, room);
  if (memory == nullptr)
    throw mpi_error(err_no_mem, text("there are no ", bytes, " bytes of memory left"));
  return {memory, std::free};
}

/// The parts of all ranks lie one after the other.
MPI_Win make_shared_window(const communicator_ptr& parent, MPI_Aint bytes, unit_type unit,
                           void** base) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parent->size()));
  const auto here = static_cast<std::size_t>(parent->rank());
  sizes[here] = bytes;
  all_gather(parent, std::as_writable_bytes(std::span(sizes)), sizeof(std::int64_t));
  std::int64_t before = 0, all = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    if (rank < here) before += sizes[rank];
    all += sizes[rank];
  }
  std::shared_ptr<void> memory = share_memory(parent, static_cast<std::size_t>(all));
  *base = static_cast<std::byte*>(memory.get()) + before;
  return make(parent, flavor_shared, *base, bytes, unit, std::move(memory));
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int ONEHOP_ABI(MPI_Win_create)(void* base, MPI_Aint bytes, unit_type unit, MPI_Info, MPI_Comm comm,
                               MPI_Win* made) {
  return guarded(comm, __func__, [&] {
    require_size(bytes, unit);
    *made = make(one_group_of(comm), flavor_create, base, bytes, unit, nullptr);
  });
}

int ONEHOP_ABI(MPI_Win_allocate)(MPI_Aint bytes, unit_type unit, MPI_Info, MPI_Comm comm,
                                 void* base, MPI_Win* made) {
  return guarded(comm, __func__, [&] {
    require_size(bytes, unit);
    std::shared_ptr<void> memory = allocate(bytes);
    void* const first = memory.get();
    *made = make(one_group_of(comm), flavor_allocate, first, bytes, unit, std::move(memory));
    std::memcpy(base, &first, sizeof first);
  });
}

int ONEHOP_ABI(MPI_Win_allocate_shared)(MPI_Aint bytes, unit_type unit, MPI_Info, MPI_Comm comm,
                                        void* base, MPI_Win* made) {
  return guarded(comm, __func__, [&] {
    require_size(bytes, unit);
    void* first = nullptr;
    *made = make_shared_window(one_group_of(comm), bytes, unit, &first);
    std::memcpy(base, &first, sizeof first);
  });
}

int ONEHOP_ABI(MPI_Win_shared_query)(MPI_Win handle, int rank, MPI_Aint* bytes, unit_type* unit,
                                     void* base) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (here.flavor() != flavor_shared) {
      // The memory of other windows is not shared, which this says.
      void* const none = nullptr;
      *bytes = 0;
      *unit = 1;
      std::memcpy(base, &none, sizeof none);
      return;
    }
    if (rank == proc_null)
      for (rank = 0; rank + 1 < here.comm()->size() && here.part(rank).bytes == 0;) ++rank;
    require_target(here, rank);
    std::int64_t before = 0;
    for (int other = 0; other < rank; ++other) before += here.part(other).bytes;
    void* const first = static_cast<std::byte*>(here.memory.get()) + before;
    *bytes = here.part(rank).bytes;
    *unit = static_cast<unit_type>(here.part(rank).unit);
    std::memcpy(base, &first, sizeof first);
  });
}
}
