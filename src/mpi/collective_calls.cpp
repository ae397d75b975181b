#include "mpi/collective_calls.hpp"

#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

MPI_Request collective_request(const communicator_ptr& comm, const collective_call& which,
                               collective_plan plan, bool persistent) {
  auto made = std::make_unique<request>();
  const communicator_ptr seen = comm->for_collective(which);
  made->comm = seen;
  made->persistent = persistent;
  made->begin = [seen, plan = std::move(plan)](request& one) {
    running().carry_out(one, [seen, plan] { plan(seen); });
  };
  if (!persistent) running().start(*made);
  return handle_of(*made.release());
}

}  // namespace onehop::mpi_abi
