#pragma once
/// Info objects: hints by name, in the order in which they were set.

#include <string>
#include <utility>
#include <vector>

#include "mpi/abi.hpp"

namespace onehop::mpi_abi {

using info = std::vector<std::pair<std::string, std::string>>;

/// Returns the hints of a handle; none for MPI_INFO_NULL.
info hints_in(MPI_Info handle);
/// Returns a handle that the caller frees.
MPI_Info new_handle(info hints);

}  // namespace onehop::mpi_abi
