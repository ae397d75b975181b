#pragma once
/// With this header, a program that uses MPI itself joins the ranks of a communicator. It is the
/// only header that needs the program's <mpi.h>. The library itself does not include MPI: it
/// receives the communicator as its Fortran handle, which means the same for every ABI.

#include <onehop/communicator.hpp>

#include <mpi.h>

#include <string_view>

namespace onehop {

/// Makes a job of the ranks of `communicator`, with the same numbers; collective over the
/// communicator only. See join_communicator in <onehop/communicator.hpp> for the requirements and
/// errors.
inline context join(MPI_Comm communicator, std::string_view transport = "auto") {
#ifdef MPI_ABI_VERSION
  // The standard ABI leaves functions named c2f to libraries for Fortran.
  return join_communicator(MPI_Comm_toint(communicator), transport);
#else
  return join_communicator(static_cast<int>(MPI_Comm_c2f(communicator)), transport);
#endif
}

}  // namespace onehop
