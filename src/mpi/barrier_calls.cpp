// The collectives of the ABI that have no counts.

#include "mpi/collective_calls.hpp"
#include "mpi/hints.hpp"
#include "mpi/split.hpp"

#define ONEHOP_ABI(name) name

namespace onehop::mpi_abi {
namespace {

auto meeting() {
  return [](const communicator_ptr& comm) { barrier(*comm); };
}

/// Starts duplicating a communicator.
int duplicate_later(const entry& call, MPI_Comm handle, MPI_Info hints, MPI_Comm* made,
                    MPI_Request* later) {
  const auto which = [&](const communicator&) {
    return collective_call{function_number(call.function)};
  };
  return do_later(call, handle, later, false, which, [&](const communicator_ptr& comm) {
    info told;
    take_hints(told, hints_in(hints), communicator_hints);
    return [parent = comm, told, made, mine = propose_identity()](const communicator_ptr& seen) {
      *made = duplicate(parent, agree_on_identity(seen, mine));
      communicator_of(*made)->hints = told;
    };
  });
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

ONEHOP_COLLECTIVE(Barrier, barrier, (), (), meeting())

int MPI_Comm_idup(MPI_Comm handle, MPI_Comm* made, MPI_Request* later) {
  return duplicate_later({__func__, made, later}, handle, fixed<MPI_Info>(info_null), made, later);
}
int MPI_Comm_idup_with_info(MPI_Comm handle, MPI_Info hints, MPI_Comm* made, MPI_Request* later) {
  return duplicate_later({__func__, hints, made, later}, handle, hints, made, later);
}
}
