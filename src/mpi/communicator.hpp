#pragma once
/// Communicators and groups: ranks of the job in an order of their own.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/abi.hpp"
#include "mpi/attributes.hpp"
#include "mpi/collective_call.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/request.hpp"
#include "rma/waiter.hpp"

namespace onehop::mpi_abi {

/// A session_buffer is what MPI_Session_attach_buffer was given, which the groups and communicators
/// of the session share; null where there is no session.
using session_buffer = std::shared_ptr<std::shared_ptr<class send_buffer>>;

/// A group is a list of ranks of the job.
struct group {
  std::vector<int> members;
  session_buffer buffer{};

  int size() const noexcept { return static_cast<int>(members.size()); }
  /// Returns where a rank of the job stands in the group, and MPI_UNDEFINED where it does not.
  int place_of(int world) const noexcept;
};
using group_ptr = std::shared_ptr<const group>;

/// A cartesian_topology numbers ranks with the last coordinate running fastest.
struct cartesian_topology {
  std::vector<int> extents;
  std::vector<bool> periodic;

  int dimensions() const noexcept { return static_cast<int>(extents.size()); }
  std::vector<int> coordinates(int rank) const;
  /// Returns MPI_PROC_NULL outside of the grid in a direction that is not periodic.
  int rank(std::vector<int> coordinates) const;
};

/// A graph_topology says whom a rank hears from and sends to; in a graph that every rank knows
/// whole, `index` and `edges` are as the caller has given them.
struct graph_topology {
  bool distributed = true, weighted = false;
  std::vector<int> from{}, from_weights{}, to{}, to_weights{};
  std::vector<int> index{}, edges{};
};

/// An intercommunicator has two groups: its members are those of this rank's own group, and its
/// messages go to the other one.
class communicator {
 public:
  /// Two communicators with a rank in common have different identities.
  static constexpr std::uint32_t most_identities = UINT32_MAX / 4;
  communicator(std::vector<int> members, int rank, std::uint32_t identity,
               std::vector<int> remote = {});

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return static_cast<int>(members_.size()); }
  int world(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& members() const noexcept { return members_; }

  bool inter() const noexcept { return !remote_.empty(); }
  /// Returns the other group of an intercommunicator.
  const std::vector<int>& remote() const noexcept { return remote_; }
  /// Returns the ranks that messages go to and come from.
  const std::vector<int>& peers() const noexcept { return inter() ? remote_ : members_; }
  int peer_count() const noexcept { return static_cast<int>(peers().size()); }
  int peer(int rank) const noexcept { return peers()[static_cast<std::size_t>(rank)]; }
  /// Returns whether this rank is the root of a collective, which in an intercommunicator says so
  /// by MPI_ROOT.
  bool is_root(int root) const noexcept { return root == (inter() ? root_here : rank_); }
  /// Returns the ranks of this rank's group of an intercommunicator, as they see each other in a
  /// collective of it.
  std::shared_ptr<communicator> own_group() const { return among(members_, collective_tag_); }
  /// Returns how messages name a rank, or its wildcard. While some ranks make a communicator, they
  /// go by their ranks in the job, since they may make others with other ranks, too.
  int label(int rank) const noexcept { return partial_ && rank >= 0 ? world(rank) : rank; }

  /// Messages of the caller, those of collectives and those in partitions are kept apart.
  std::uint32_t messages() const noexcept { return 4 * identity_; }
  std::uint32_t collectives() const noexcept { return 4 * identity_ + (partial_ ? 2 : 1); }
  std::uint32_t partitions() const noexcept { return 4 * identity_ + 3; }
  /// Returns the first of numbers that no other partition of this rank's sends has.
  int take_partition_tags(int count);

  /// Collectives that do not block have tags of their own, since they may overtake each other.
  /// Those that block have tag 0. All ranks begin the collectives of a communicator in the same
  /// order.
  int collective_tag() const noexcept { return collective_tag_; }
  /// Returns this communicator as the next collective that does not block sees it.
  std::shared_ptr<communicator> for_collective(const collective_call& which);
  /// Notes that this rank enters a collective that blocks, and with `end` that it leaves it.
  void begin(const collective_call& which) noexcept;
  void end() noexcept { call_ = {}; }
  /// Returns what messages of this rank's collective say of it now.
  collective_call call() const noexcept {
    return call_.function != 0 ? call_ : call_of_running_function();
  }
  /// Returns what this rank called where another one called `theirs`, as far as it is remembered:
  /// `mine` takes a message of theirs, which may be of an earlier collective.
  const collective_call& call_beside(const collective_call& theirs,
                                     const collective_call& mine) const noexcept;
  /// Returns some of its ranks, as these see each other while they make a communicator without the
  /// others. Their messages are no collective's and no caller's.
  std::shared_ptr<communicator> among(std::vector<int> members, int tag) const;

  /// Returns its name, or how many ranks it has.
  std::string words() const;
  /// Returns whom a message waits for, in words.
  std::vector<missing_piece> missing(const request& one) const;

  std::optional<cartesian_topology> topology;
  std::shared_ptr<const graph_topology> graph;
  error_handler errors;
  std::string name;
  attribute_list attributes;
  info hints;
  std::shared_ptr<class send_buffer> buffer;  ///< what MPI_Comm_attach_buffer was given
  session_buffer buffer_of_session;
  MPI_Comm handle = nullptr;  ///< what the caller knows it by, or MPI_COMM_NULL once it is freed

 private:
  std::vector<int> members_;
  int rank_;
  std::uint32_t identity_;
  std::vector<int> remote_;
  bool partial_ = false;
  int collective_tag_ = 0, last_collective_tag_ = 0, next_partition_tag_ = 0;
  collective_call call_;
  std::uint8_t last_number_ = 0;
  std::array<collective_call, 8> begun_{};  ///< the last ones that block, by number
};
using communicator_ptr = std::shared_ptr<communicator>;

/// Returns the communicator of a handle; throws mpi_error for MPI_COMM_NULL.
const communicator_ptr& communicator_of(MPI_Comm handle);
/// Throws mpi_error for an intercommunicator, too.
const communicator_ptr& one_group_of(MPI_Comm handle);
MPI_Comm new_handle(communicator_ptr comm);
const group_ptr& group_of(MPI_Group handle);
MPI_Group new_handle(group_ptr members);

/// Throws mpi_error unless messages of the communicator go to this rank, or it is MPI_PROC_NULL.
void require_peer(const communicator& comm, int rank);
/// Throws mpi_error for MPI_PROC_NULL, too.
void require_rank(const communicator& comm, int rank);
void require_root(const communicator& comm, int root);

}  // namespace onehop::mpi_abi
