#include "mpi/communicator.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

int group::place_of(int world) const noexcept {
  const auto found = std::ranges::find(members, world);
  return found == members.end() ? undefined : static_cast<int>(found - members.begin());
}

std::vector<int> cartesian_topology::coordinates(int rank) const {
  std::vector<int> at(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; rank /= extents[d]) at[d] = rank % extents[d];
  return at;
}

int cartesian_topology::rank(std::vector<int> at) const {
  int found = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (periodic[d])
      at[d] = (at[d] % extents[d] + extents[d]) % extents[d];
    else if (at[d] < 0 || at[d] >= extents[d])
      return proc_null;
    found = found * extents[d] + at[d];
  }
  return found;
}

communicator::communicator(std::vector<int> members, int rank, std::uint32_t identity,
                           std::vector<int> remote)
    : errors{fixed<MPI_Errhandler>(errors_are_fatal)},
      members_(std::move(members)),
      rank_(rank),
      identity_(identity),
      remote_(std::move(remote)) {}

std::shared_ptr<communicator> communicator::for_collective(const collective_call& which) {
  last_collective_tag_ = last_collective_tag_ == tag_upper_bound ? 1 : last_collective_tag_ + 1;
  auto seen = std::make_shared<communicator>(*this);
  seen->collective_tag_ = last_collective_tag_;
  seen->call_ = which;
  return seen;
}

int communicator::take_partition_tags(int count) {
  if (count > tag_upper_bound - 3 - next_partition_tag_)
    throw mpi_error(err_other, text("a communicator has no tags for ", count, " partitions more"));
  return std::exchange(next_partition_tag_, next_partition_tag_ + count);
}

void communicator::begin(const collective_call& which) noexcept {
  last_number_ = last_number_ == UINT8_MAX ? 1 : last_number_ + 1;
  call_ = which;
  call_.number = last_number_;
  begun_[last_number_ % begun_.size()] = call_;
}

const collective_call& communicator::call_beside(const collective_call& theirs,
                                                 const collective_call& mine) const noexcept {
  const collective_call& then = begun_[theirs.number % begun_.size()];
  return theirs.number != 0 && then.number == theirs.number && then != theirs ? then : mine;
}

std::shared_ptr<communicator> communicator::among(std::vector<int> members, int tag) const {
  const group all{members};
  auto seen =
      std::make_shared<communicator>(std::move(members), all.place_of(world(rank_)), identity_);
  seen->partial_ = true;
  seen->collective_tag_ = tag;
  seen->call_ = call_;
  seen->name = name;
  seen->errors = errors;
  seen->handle = handle;
  return seen;
}

std::string communicator::words() const {
  return name.empty() ? text("a communicator of ", counted(size(), "rank")) : name;
}

std::vector<missing_piece> communicator::missing(const request& one) const {
  std::vector<missing_piece> all;
  const std::string which = one.call.function != 0 ? "of " + words_of(one.call)
                            : one.tag == any_tag   ? "with any tag"
                                                   : text("with tag ", one.tag);
  const std::string what = which + " in " + words();
  const auto peer_words = [&](int rank) {
    const std::string of_job =
        peer(rank) == rank ? "" : text(" (rank ", peer(rank), " of the job)");
    return text("rank ", rank) + of_job;
  };
  if (one.sends)
    return {{one.world, peer_words(one.peer) + " has no receive for a message " + what}};
  for (int rank = 0; rank < peer_count(); ++rank)
    if (one.peer == rank || (one.peer == any_source && (inter() || rank != rank_)))
      all.push_back({peer(rank), peer_words(rank) + " has sent no message " + what});
  return all;
}

const communicator_ptr& communicator_of(MPI_Comm handle) {
  running();
  if (number_of(handle) == comm_world) return state().world;
  if (number_of(handle) == comm_self) return state().self;
  if (const auto* const known = object_at<communicator_ptr>(handle)) return *known;
  throw mpi_error(err_comm, number_of(handle) == comm_null ? "the communicator is MPI_COMM_NULL"
                                                           : "no communicator has the handle");
}

const communicator_ptr& one_group_of(MPI_Comm handle) {
  const communicator_ptr& comm = communicator_of(handle);
  if (comm->inter()) throw mpi_error(err_comm, "the communicator is an intercommunicator");
  return comm;
}

MPI_Comm new_handle(communicator_ptr comm) {
  auto* const kept = keep_object(std::move(comm));
  return (*kept)->handle = reinterpret_cast<MPI_Comm>(kept);
}

const group_ptr& group_of(MPI_Group handle) {
  static const group_ptr& empty = *new group_ptr(std::make_shared<group>());
  if (number_of(handle) == group_empty) return empty;
  if (const auto* const known = object_at<group_ptr>(handle)) return *known;
  throw mpi_error(err_group, number_of(handle) == group_null ? "the group is MPI_GROUP_NULL"
                                                             : "no group has the handle");
}

MPI_Group new_handle(group_ptr members) {
  return reinterpret_cast<MPI_Group>(keep_object(std::move(members)));
}

void require_peer(const communicator& comm, int rank) {
  if (rank == proc_null || (rank >= 0 && rank < comm.peer_count())) return;
  throw mpi_error(err_rank, text("rank ", rank, " is none of the communicator's ",
                                 counted(comm.peer_count(), "rank")));
}

void require_rank(const communicator& comm, int rank) {
  require_peer(comm, rank);
  if (rank == proc_null) throw mpi_error(err_rank, "the rank is MPI_PROC_NULL");
}

void require_root(const communicator& comm, int root) {
  if (comm.inter() && (root == root_here || root == proc_null)) return;
  if (root < 0 || root >= comm.peer_count())
    throw mpi_error(err_root, text("root ", root, " is none of the communicator's ",
                                   counted(comm.peer_count(), "rank")));
}

}  // namespace onehop::mpi_abi
