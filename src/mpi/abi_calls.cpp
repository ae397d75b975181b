// The functions of the ABI that return its version and its Fortran support.

#include "mpi/errors.hpp"
#include "mpi/info.hpp"

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Abi_get_version(int* major, int* minor) {
  return at_any_time({__func__, major, minor}, [&] {
    *major = abi_version;
    *minor = abi_subversion;
  });
}

int MPI_Abi_get_info(MPI_Info* hints) {
  return guarded({__func__, hints}, [&] {
    *hints = new_handle(info{{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
                             {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
                             {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}});
  });
}

// This library reports no Fortran support.
int MPI_Abi_get_fortran_info(MPI_Info* hints) {
  return at_any_time({__func__, hints}, [&] { *hints = fixed<MPI_Info>(info_null); });
}

int MPI_Get_hw_resource_info(MPI_Info* hints) {
  return guarded({__func__, hints}, [&] { *hints = new_handle(info()); });
}
}
