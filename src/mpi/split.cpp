#include "mpi/split.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// Makes a communicator of these members, or MPI_COMM_NULL at a rank that is none of them.
MPI_Comm make(const communicator& parent, const std::vector<int>& members, std::uint32_t identity) {
  const group all{members};
  const int rank = all.place_of(parent.world(parent.rank()));
  if (rank == undefined) return fixed<MPI_Comm>(comm_null);
  auto made = std::make_shared<communicator>(members, rank, identity);
  made->errors = parent.errors;
  return new_handle(std::move(made));
}

}  // namespace

std::uint32_t propose_identity() {
  const communicator& world = *state().world;
  const auto ranks = static_cast<std::uint32_t>(world.size());
  std::uint32_t& made = state().made_identities;
  if (made == communicator::most_identities / ranks)
    throw mpi_error(err_other, text("this rank has begun ", made, " communicators, the most"));
  return made++ * ranks + static_cast<std::uint32_t>(world.rank());
}

std::uint32_t agree_on_identity(const communicator_ptr& comm, std::uint32_t mine) {
  broadcast(comm, {&mine, sizeof mine, datatype_of(fixed<MPI_Datatype>(0x247))}, 0);
  return mine;
}

MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members) {
  return make(*parent, members, agree_on_identity(parent, propose_identity()));
}

MPI_Comm duplicate(const communicator_ptr& parent, std::uint32_t identity) {
  attribute_list copies = parent->attributes.copied(parent->handle);
  const MPI_Comm handle = make(*parent, parent->members(), identity);
  communicator& made = *communicator_of(handle);
  made.hints = parent->hints;
  made.attributes = std::move(copies);
  made.topology = parent->topology;
  made.graph = parent->graph;
  return handle;
}

communicator_ptr private_duplicate(const communicator_ptr& parent) {
  auto made = std::make_shared<communicator>(parent->members(), parent->rank(),
                                             agree_on_identity(parent, propose_identity()));
  made->errors = parent->errors;
  made->handle = parent->handle;
  return made;
}

// The members know each other's places in the parent, and talk with a tag that its other
// collectives do not use.
MPI_Comm make_among(const communicator_ptr& parent, const std::vector<int>& members, int tag) {
  const communicator_ptr part = parent->among(members, tag);
  return make(*parent, members, agree_on_identity(part, propose_identity()));
}

MPI_Comm split(const communicator_ptr& parent, const split_choice& mine) {
  if (mine.color < 0 && mine.color != undefined)
    throw mpi_error(err_arg, text("the colour is ", mine.color));
  const std::uint32_t identity = agree_on_identity(parent, propose_identity());
  std::vector<split_choice> all(static_cast<std::size_t>(parent->size()));
  all[static_cast<std::size_t>(parent->rank())] = mine;
  all_gather(parent, std::as_writable_bytes(std::span(all)), sizeof mine);
  std::vector<std::pair<int, int>> ranks;
  for (int rank = 0; rank < parent->size(); ++rank) {
    const split_choice& one = all[static_cast<std::size_t>(rank)];
    if (mine.color != undefined && one.color == mine.color) ranks.emplace_back(one.key, rank);
  }
  std::ranges::sort(ranks);
  std::vector<int> members;
  for (const auto& [key, rank] : ranks) members.push_back(parent->world(rank));
  return make(*parent, members, identity);
}

}  // namespace onehop::mpi_abi
