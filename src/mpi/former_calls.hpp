#pragma once
/// The functions of the ABI that replace former MPI 1 functions in C and in Fortran. They take
/// addresses, whose type has changed since.

#include "mpi/abi.hpp"

extern "C" {

int MPI_Get_address(const void* location, MPI_Aint* address);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent);
int MPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* places,
                           const MPI_Datatype* types, MPI_Datatype* made);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                            MPI_Datatype* made);
int MPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* places,
                             MPI_Datatype type, MPI_Datatype* made);
}
