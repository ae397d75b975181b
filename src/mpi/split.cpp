#include "mpi/split.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// Agrees with the other ranks of `parent` on an identity that none of them has used; collective.
std::uint32_t new_identity(const communicator_ptr& parent) {
  const std::uint32_t found = largest(parent, state().next_identity);
  state().next_identity = found + 1;
  return found;
}

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

MPI_Comm make_communicator(const communicator_ptr& parent, const std::vector<int>& members) {
  return make(*parent, members, new_identity(parent));
}

MPI_Comm split(const communicator_ptr& parent, const split_choice& mine) {
  if (mine.color < 0 && mine.color != undefined)
    throw mpi_error(err_arg, text("the colour is ", mine.color));
  const std::uint32_t identity = new_identity(parent);
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
