#pragma once
/// A matched message was taken by a probe. Only a receive with its handle can receive it.

#include <cstddef>
#include <optional>

#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

/// Starts receiving the message of a handle, which becomes MPI_MESSAGE_NULL.
void receive_matched(request& one, MPI_Message& handle, void* buffer, std::ptrdiff_t count,
                     MPI_Datatype type);

}  // namespace onehop::mpi_abi
