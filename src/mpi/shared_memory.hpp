#pragma once
/// Memory that all ranks of a communicator load from and store to.

#include <cstddef>
#include <memory>

#include "mpi/communicator.hpp"

namespace onehop::mpi_abi {

/// Makes memory of this many bytes, the same at all ranks; collective. Throws mpi_error at all of
/// them where one cannot have it.
std::shared_ptr<void> share_memory(const communicator_ptr& comm, std::size_t bytes);

}  // namespace onehop::mpi_abi
