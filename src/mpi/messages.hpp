#pragma once
/// How the functions of the ABI for messages carry out their arguments.

#include <cstddef>
#include <functional>
#include <memory>

#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

/// The arguments of a send or a receive, as the caller passed them.
struct message_arguments {
  const void* buffer;
  std::ptrdiff_t count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
};

void prepare_send(request& one, const message_arguments& what, bool synchronous);
void prepare_receive(request& one, const message_arguments& what);

/// Makes a request for the caller, and starts it unless it is persistent.
template <class Prepare>
void give_request(MPI_Request* handle, bool persistent, Prepare&& prepare) {
  auto made = std::make_unique<request>();
  prepare(*made);
  made->persistent = persistent;
  if (!persistent) running().start(*made);
  *handle = handle_of(*made.release());
}

/// Throws mpi_error if an argument of the send or of the receive is wrong.
void require_exchange(const message_arguments& out, const message_arguments& in);
/// Sends and receives at the same time. Returns the status of the receive.
MPI_Status exchange(const message_arguments& out, const message_arguments& in);
/// Sends a copy of the buffer, so that the received message may overwrite the original.
MPI_Status replace(const message_arguments& out, const message_arguments& in);
/// Makes a request that runs `body` on a fiber. `body` returns the status.
MPI_Request request_for(MPI_Comm comm, std::function<MPI_Status()> body);

/// Copies the message that a request describes, and sends the copy without the caller.
void send_buffered(std::unique_ptr<request> sent);

}  // namespace onehop::mpi_abi
