#pragma once
/// All ranks of a communicator make new communicators from it together.

#include <cstdint>
#include <vector>

#include "mpi/communicator.hpp"

namespace onehop::mpi_abi {

/// A rank proposes an identity that no rank has proposed before. The ranks of a new communicator
/// use the proposal of their first rank, so no two identities are equal, whatever the order.
std::uint32_t propose_identity();
std::uint32_t agree_on_identity(const communicator_ptr& comm, std::uint32_t mine);

/// Makes a communicator of these ranks of the job; collective over the ranks of `parent`. Other
/// ranks get MPI_COMM_NULL.
MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members);
/// Makes a communicator of ranks that have already agreed on an identity. `remote` is the other
/// group of an intercommunicator.
MPI_Comm make_communicator(const communicator& parent, const std::vector<int>& members,
                           std::uint32_t identity, const std::vector<int>& remote = {});
/// Makes a communicator with the ranks, the topology and the attributes of `parent`. Since MPI 4,
/// hints are not copied.
MPI_Comm duplicate(const communicator_ptr& parent, std::uint32_t identity);
/// Makes a duplicate without a handle for the library's own use; collective.
communicator_ptr private_duplicate(const communicator_ptr& parent);
/// Makes an intercommunicator of the group of `own` and another group. All ranks of both groups
/// call this. `leaders` is a communicator of the two leaders, and null at other ranks.
MPI_Comm connect(const communicator_ptr& own, int leader, const communicator_ptr& leaders);
/// Merges both groups of an intercommunicator; the group that passes `high` comes last.
MPI_Comm merge(const communicator_ptr& comm, bool high);
/// Makes a communicator of these ranks. All of them must call this, and no others; `tag`
/// distinguishes concurrent calls.
MPI_Comm make_among(const communicator_ptr& parent, const std::vector<int>& members, int tag);

/// A split_choice holds the colour and the key that a rank passes to a split.
struct split_choice {
  int color, key;
};
/// Makes a communicator of the ranks that pass the same colour, in the order of their keys;
/// collective. Returns MPI_COMM_NULL to ranks without a colour, and if only one group of an
/// intercommunicator has ranks of this colour.
MPI_Comm split(const communicator_ptr& parent, const split_choice& mine);

}  // namespace onehop::mpi_abi
