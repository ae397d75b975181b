#pragma once

namespace onehop::mpi_abi {

/// Says on stderr that a function is not there, and returns MPI_ERR_UNSUPPORTED_OPERATION. Each
/// function says it once, which `told` remembers.
int refuse(const char* function, bool& told) noexcept;

}  // namespace onehop::mpi_abi
