#pragma once
/// Handles as integers, for Fortran.

#include "mpi/abi.hpp"

extern "C" {
#define ONEHOP_HANDLE(Handle, Name)        \
  Handle MPI_##Name##_fromint(int number); \
  int MPI_##Name##_toint(Handle handle)
ONEHOP_HANDLE(MPI_Comm, Comm);
ONEHOP_HANDLE(MPI_Group, Group);
ONEHOP_HANDLE(MPI_Datatype, Type);
ONEHOP_HANDLE(MPI_Op, Op);
ONEHOP_HANDLE(MPI_Request, Request);
ONEHOP_HANDLE(MPI_Errhandler, Errhandler);
ONEHOP_HANDLE(MPI_Info, Info);
ONEHOP_HANDLE(MPI_Win, Win);
ONEHOP_HANDLE(MPI_File, File);
ONEHOP_HANDLE(MPI_Session, Session);
ONEHOP_HANDLE(MPI_Message, Message);
#undef ONEHOP_HANDLE
}

namespace onehop::mpi_fortran {

using mpi_abi::fixed;

template <class Handle>
Handle from_integer(int number) = delete;

#define ONEHOP_HANDLE(Handle, Name)                \
  template <>                                      \
  inline Handle from_integer<Handle>(int number) { \
    return MPI_##Name##_fromint(number);           \
  }                                                \
  inline int to_integer(Handle handle) { return MPI_##Name##_toint(handle); }
ONEHOP_HANDLE(MPI_Comm, Comm)
ONEHOP_HANDLE(MPI_Group, Group)
ONEHOP_HANDLE(MPI_Datatype, Type)
ONEHOP_HANDLE(MPI_Op, Op)
ONEHOP_HANDLE(MPI_Request, Request)
ONEHOP_HANDLE(MPI_Errhandler, Errhandler)
ONEHOP_HANDLE(MPI_Info, Info)
ONEHOP_HANDLE(MPI_Win, Win)
ONEHOP_HANDLE(MPI_File, File)
ONEHOP_HANDLE(MPI_Session, Session)
ONEHOP_HANDLE(MPI_Message, Message)
#undef ONEHOP_HANDLE

}  // namespace onehop::mpi_fortran
