#pragma once
/// Communicators are made of others by all ranks of these together.

#include <vector>

#include "mpi/communicator.hpp"

namespace onehop::mpi_abi {

/// Makes a communicator of these ranks of the job, or MPI_COMM_NULL at a rank that is none of them;
/// collective.
MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members);

/// A split_choice is what a rank says of itself in a split.
struct split_choice {
  int color, key;
};
/// Makes a communicator of the ranks that give the same colour, in the order of their keys;
/// collective. MPI_COMM_NULL at a rank of no colour.
MPI_Comm split(const communicator_ptr& parent, const split_choice& mine);

}  // namespace onehop::mpi_abi
