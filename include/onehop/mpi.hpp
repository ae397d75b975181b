#pragma once
/// A program that has MPI itself joins the ranks of a communicator by this header, the only one
/// that needs the program's <mpi.h>. The library knows no MPI: it is told the communicator by its
/// number in Fortran, which means the same whatever ABI the program was compiled for.

#include <onehop/communicator.hpp>

#include <mpi.h>

#include <string_view>

namespace onehop {

/// Makes a job of the ranks of `communicator`, numbered as there; collective in it, and no affair
/// of any other process. join_communicator of <onehop/communicator.hpp> says what must be true.
inline context join(MPI_Comm communicator, std::string_view transport = "auto") {
#ifdef MPI_ABI_VERSION
  // The standard ABI leaves functions named c2f to libraries for Fortran.
  return join_communicator(MPI_Comm_toint(communicator), transport);
#else
  return join_communicator(static_cast<int>(MPI_Comm_c2f(communicator)), transport);
#endif
}

}  // namespace onehop
