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
/// Makes the type of a subarray from the dimension that runs fastest on.
datatype_ptr subarray(const std::vector<extent_of>& fastest_first, datatype_ptr type);

/// One dimension of an array that ranks share: `places` are the elements of this rank.
struct share_of {
  std::ptrdiff_t whole;
  std::vector<std::ptrdiff_t> places;
};
/// Returns a rank's share of a dimension of `whole` elements among `ranks`; `block` is how many go
/// to a rank at a time, or MPI_DISTRIBUTE_DFLT_DARG. Throws mpi_error.
share_of share(std::ptrdiff_t whole, int how, int block, int ranks, int rank);
datatype_ptr shared_array(const std::vector<share_of>& fastest_first, datatype_ptr type);

}  // namespace onehop::mpi_abi
