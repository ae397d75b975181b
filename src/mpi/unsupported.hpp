#pragma once

namespace onehop::mpi_abi {

/// Reports on stderr that a function is missing, and returns MPI_ERR_UNSUPPORTED_OPERATION. Each
/// function reports it only once; `told` records that.
int refuse(const char* function, bool& told) noexcept;

}  // namespace onehop::mpi_abi
