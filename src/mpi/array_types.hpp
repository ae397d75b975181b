#pragma once
/// Datatypes of parts of arrays.

#include <cstddef>
#include <vector>

#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

/// One dimension of a subarray.
struct extent_of {
  std::ptrdiff_t whole, part, begin;
};
/// Makes the type of a subarray from its dimensions, beginning with the one that runs fastest.
datatype_ptr subarray(const std::vector<extent_of>& fastest_first, datatype_ptr type);

/// One dimension of an array that is distributed over ranks: `places` are this rank's elements.
struct share_of {
  std::ptrdiff_t whole;
  std::vector<std::ptrdiff_t> places;
};
/// Returns this rank's share of a dimension of `whole` elements distributed over `ranks`. `block`
/// is the number of consecutive elements per rank, or MPI_DISTRIBUTE_DFLT_DARG. Throws mpi_error.
share_of share(std::ptrdiff_t whole, int how, int block, int ranks, int rank);
datatype_ptr shared_array(const std::vector<share_of>& fastest_first, datatype_ptr type);

}  // namespace onehop::mpi_abi
