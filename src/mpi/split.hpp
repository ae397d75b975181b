#pragma once
/// Communicators are made of others by all ranks of these together.

#include <cstdint>
#include <vector>

#include "mpi/communicator.hpp"

namespace onehop::mpi_abi {

/// A rank proposes an identity that no rank has proposed before, and the ranks of a communicator
/// take what the first of them proposes: so no two are the same, in whatever order ranks agree.
std::uint32_t propose_identity();
std::uint32_t agree_on_identity(const communicator_ptr& comm, std::uint32_t mine);

/// Makes a communicator of these ranks of the job, or MPI_COMM_NULL at a rank that is none of them;
/// collective over the ranks of `parent`.
MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members);
/// Makes one of ranks that have agreed; `remote` is the other group of an intercommunicator.
MPI_Comm make_communicator(const communicator& parent, const std::vector<int>& members,
                           std::uint32_t identity, const std::vector<int>& remote = {});
/// Makes one with the ranks, the topology and the attributes of `parent`; since MPI 4 hints are not
/// handed on.
MPI_Comm duplicate(const communicator_ptr& parent, std::uint32_t identity);
/// Makes one for the library's own use, without a handle; collective.
communicator_ptr private_duplicate(const communicator_ptr& parent);
/// Makes an intercommunicator of the group of `own` and another one, all of whose ranks call this,
/// too. `leaders` is the two ranks that speak for their groups, and null at all others.
MPI_Comm connect(const communicator_ptr& own, int leader, const communicator_ptr& leaders);
/// Makes a communicator of both groups of an intercommunicator; those that are `high` come last.
MPI_Comm merge(const communicator_ptr& comm, bool high);
/// Makes a communicator of these ranks, all of which call this, and no others do; `tag` keeps calls
/// apart that go on at once.
MPI_Comm make_among(const communicator_ptr& parent, const std::vector<int>& members, int tag);

/// A split_choice is what a rank says of itself in a split.
struct split_choice {
  int color, key;
};
/// Makes a communicator of the ranks that give the same colour, in the order of their keys;
/// collective. MPI_COMM_NULL at a rank of no colour, and where ranks of only one group of an
/// intercommunicator have it.
MPI_Comm split(const communicator_ptr& parent, const split_choice& mine);

}  // namespace onehop::mpi_abi
