#pragma once
/// Functions that count elements are there twice: with int, and under a name that ends in _c with
/// MPI_Count. A source that includes this file is compiled once for each of the two.

#include "mpi/abi.hpp"

#ifdef ONEHOP_LARGE_COUNTS
#define ONEHOP_ABI(name) name##_c
#else
#define ONEHOP_ABI(name) name
#endif

namespace onehop::mpi_abi {
namespace {

#ifdef ONEHOP_LARGE_COUNTS
using count_type = MPI_Count;
using place_type = MPI_Aint;  ///< displacements in elements
using unit_type = MPI_Aint;   ///< the unit of displacements
#else
using count_type = int;
using place_type = int;
using unit_type = int;
#endif

}  // namespace
}  // namespace onehop::mpi_abi
