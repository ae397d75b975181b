#pragma once
/// What the functions of the ABI for messages make of their arguments.

#include <cstddef>
#include <functional>
#include <memory>

#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

/// The arguments of a send or a receive, as the caller gives them.
struct message_arguments {
  const void* buffer;
  std::ptrdiff_t count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
};

void prepare_send(request& one, const message_arguments& what, bool synchronous);
void prepare_receive(request& one, const message_arguments& what);

/// Makes a request for the caller and, unless it is persistent, starts it.
template <class Prepare>
void give_request(MPI_Request* handle, bool persistent, Prepare&& prepare) {
  auto made = std::make_unique<request>();
  prepare(*made);
  made->persistent = persistent;
  if (!persistent) running().start(*made);
  *handle = handle_of(*made.release());
}

/// Throws mpi_error where arguments of either are wrong.
void require_exchange(const message_arguments& out, const message_arguments& in);
/// Sends and receives at once; the status is that of the receive.
MPI_Status exchange(const message_arguments& out, const message_arguments& in);
/// Sends what lies in a buffer from a copy, so that what comes may replace it.
MPI_Status replace(const message_arguments& out, const message_arguments& in);
/// Makes a request of what `body` does on a fiber; it returns the status.
MPI_Request request_for(MPI_Comm comm, std::function<MPI_Status()> body);

/// Copies a message that is described, and sends it without the caller.
void send_buffered(std::unique_ptr<request> sent);

}  // namespace onehop::mpi_abi
