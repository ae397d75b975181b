#pragma once
/// Messages for the functions of the ABI, and for collectives, which consist of messages.

#include <cstddef>
#include <span>

#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

bool is_virtual(const context& ctx) noexcept;
/// Returns the node number of a rank of the job; a real machine is node 0.
int node_of(const context& ctx, int rank);

/// A typed_buffer is `count` elements of a type in the caller's memory.
struct typed_buffer {
  void* data;
  std::size_t count;
  const datatype_ptr& type;
};
/// Makes a typed_buffer from a caller's arguments. Throws mpi_error if they are wrong.
typed_buffer checked(const void* buffer, std::ptrdiff_t count, MPI_Datatype type);

/// Throws mpi_error if the elements of two buffers of a collective begin at the same byte.
void require_apart(const typed_buffer& from, const typed_buffer& to);

/// Throws mpi_error if the request has failed.
void require_success(const request& one);

/// Messages of collectives are separate from those of the caller.
void describe_send(request& one, const communicator_ptr& comm, const typed_buffer& from, int to,
                   int tag);
void describe_receive(request& one, const communicator_ptr& comm, const typed_buffer& into,
                      int from, int tag);

/// Returns when all ranks of the communicator have called it.
void barrier(communicator& comm);

}  // namespace onehop::mpi_abi
