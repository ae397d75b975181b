#include "mpi/split.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// Returns whether this rank's group of an intercommunicator is the one that makes decisions.
bool decides(const communicator& comm) { return comm.world(0) < comm.peer(0); }

std::vector<split_choice> choices_in(const communicator_ptr& comm, const split_choice& mine) {
  std::vector<split_choice> all(static_cast<std::size_t>(comm->size()));
  all[static_cast<std::size_t>(comm->rank())] = mine;
  all_gather(comm, std::as_writable_bytes(std::span(all)), sizeof mine);
  return all;
}

/// Returns the ranks that chose a colour, in the order of their keys.
std::vector<int> of_color(int color, const std::vector<int>& from,
                          const std::vector<split_choice>& chosen) {
  std::vector<std::pair<int, std::size_t>> ordered;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (color != undefined && chosen[i].color == color) ordered.emplace_back(chosen[i].key, i);
  std::ranges::sort(ordered);
  std::vector<int> members;
  for (const auto& [key, i] : ordered) members.push_back(from[i]);
  return members;
}

}  // namespace

MPI_Comm make_communicator(const communicator& parent, const std::vector<int>& members,
                           std::uint32_t identity, const std::vector<int>& remote) {
  const group all{members};
  const int rank = all.place_of(parent.world(parent.rank()));
  if (rank == undefined) return fixed<MPI_Comm>(comm_null);
  auto made = std::make_shared<communicator>(members, rank, identity, remote);
  made->errors = parent.errors;
  made->buffer_of_session = parent.buffer_of_session;
  return new_handle(std::move(made));
}

std::uint32_t propose_identity() {
  const communicator& world = *state().world;
  const auto ranks = static_cast<std::uint32_t>(world.size());
  std::uint32_t& made = state().made_identities;
  if (made == communicator::most_identities / ranks)
    throw mpi_error(err_other, text("this rank has begun ", made, " communicators, the most"));
  return made++ * ranks + static_cast<std::uint32_t>(world.rank());
}

std::uint32_t agree_on_identity(const communicator_ptr& comm, std::uint32_t mine) {
  if (comm->inter()) {
    std::uint32_t theirs = 0;
    hear_from_others(comm, std::span(&mine, 1), std::span(&theirs, 1));
    if (!decides(*comm)) return theirs;
  }
  broadcast(comm->inter() ? comm->own_group() : comm, bytes_of(std::span(&mine, 1)), 0);
  return mine;
}

MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members) {
  return make_communicator(*parent, members, agree_on_identity(parent, propose_identity()));
}

MPI_Comm duplicate(const communicator_ptr& parent, std::uint32_t identity) {
  attribute_list copies = parent->attributes.copied(parent->handle);
  const MPI_Comm handle = make_communicator(*parent, parent->members(), identity, parent->remote());
  communicator& made = *communicator_of(handle);
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

// The members know each other's ranks in the parent. They use a tag that other collectives of the
// parent do not use.
MPI_Comm make_among(const communicator_ptr& parent, const std::vector<int>& members, int tag) {
  const communicator_ptr part = parent->among(members, tag);
  return make_communicator(*parent, members, agree_on_identity(part, propose_identity()));
}

MPI_Comm split(const communicator_ptr& parent, const split_choice& mine) {
  if (mine.color < 0 && mine.color != undefined)
    throw mpi_error(err_arg, text("the colour is ", mine.color));
  const std::uint32_t identity = agree_on_identity(parent, propose_identity());
  const communicator_ptr own = parent->inter() ? parent->own_group() : parent;
  std::vector<split_choice> ours = choices_in(own, mine);
  const std::vector<int> members = of_color(mine.color, parent->members(), ours);
  if (!parent->inter()) return make_communicator(*parent, members, identity);
  std::vector<split_choice> theirs(parent->remote().size());
  hear_from_others(parent, std::span(ours), std::span(theirs));
  const std::vector<int> remote = of_color(mine.color, parent->remote(), theirs);
  if (remote.empty()) return fixed<MPI_Comm>(comm_null);
  return make_communicator(*parent, members, identity, remote);
}

namespace {

/// An introduction describes a group to the leader of the other one.
struct introduction {
  std::uint32_t identity;
  int size;
};

void require_disjoint(const std::vector<int>& one, const std::vector<int>& other) {
  for (const int world : one)
    if (std::ranges::find(other, world) != other.end())
      throw mpi_error(err_comm, text("rank ", world, " of the job is in both groups"));
}

}  // namespace

MPI_Comm connect(const communicator_ptr& own, int leader, const communicator_ptr& leaders) {
  introduction theirs{};
  std::vector<int> remote;
  if (leaders) {
    introduction mine{propose_identity(), own->size()};
    std::vector<int> members = own->members();
    const int other = 1 - leaders->rank();
    exchange(leaders, bytes_of(std::span(&mine, 1)), other, bytes_of(std::span(&theirs, 1)), other);
    remote.resize(static_cast<std::size_t>(theirs.size));
    exchange(leaders, bytes_of(std::span(members)), other, bytes_of(std::span(remote)), other);
    if (leaders->rank() == 0) theirs.identity = mine.identity;
  }
  broadcast(own, bytes_of(std::span(&theirs, 1)), leader);
  remote.resize(static_cast<std::size_t>(theirs.size));
  broadcast(own, bytes_of(std::span(remote)), leader);
  require_disjoint(own->members(), remote);
  return make_communicator(*own, own->members(), theirs.identity, remote);
}

MPI_Comm merge(const communicator_ptr& comm, bool high) {
  int ours = high ? 1 : 0, theirs = 0;
  hear_from_others(comm, std::span(&ours, 1), std::span(&theirs, 1));
  const bool first = ours == theirs ? decides(*comm) : ours < theirs;
  std::vector<int> members = first ? comm->members() : comm->remote();
  const std::vector<int>& last = first ? comm->remote() : comm->members();
  members.insert(members.end(), last.begin(), last.end());
  return make_communicator(*comm, members, agree_on_identity(comm, propose_identity()));
}

}  // namespace onehop::mpi_abi
