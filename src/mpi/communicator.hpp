#pragma once
/// Communicators and groups: ranks of the job in their own order.

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

/// A session_buffer holds the buffer given to MPI_Session_attach_buffer. The groups and
/// communicators of the session share it; it is null without a session.
using session_buffer = std::shared_ptr<std::shared_ptr<class send_buffer>>;

/// A group is a list of ranks of the job.
struct group {
  std::vector<int> members;
  session_buffer buffer{};

  int size() const noexcept { return static_cast<int>(members.size()); }
  /// Returns the position of a rank of the job in the group, or MPI_UNDEFINED.
  int place_of(int world) const noexcept;
};
using group_ptr = std::shared_ptr<const group>;

/// A cartesian_topology numbers the ranks so that the last coordinate runs fastest.
struct cartesian_topology {
  std::vector<int> extents;
  std::vector<bool> periodic;

  int dimensions() const noexcept { return static_cast<int>(extents.size()); }
  std::vector<int> coordinates(int rank) const;
  /// Returns MPI_PROC_NULL if a coordinate is outside the grid in a direction that is not periodic.
  int rank(std::vector<int> coordinates) const;
};

/// A graph_topology lists the ranks that this rank receives from and sends to. If every rank gave
/// the whole graph, `index` and `edges` are the caller's arguments.
struct graph_topology {
  bool distributed = true, weighted = false;
  std::vector<int> from{}, from_weights{}, to{}, to_weights{};
  std::vector<int> index{}, edges{};
};

/// An intercommunicator has two groups: its members are this rank's own group, and its messages go
/// to the other group.
class communicator {
 public:
  /// Two communicators that share a rank have different identities.
  static constexpr std::uint32_t most_identities = UINT32_MAX / 4;
  communicator(std::vector<int> members, int rank, std::uint32_t identity,
               std::vector<int> remote = {});

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return static_cast<int>(members_.size()); }
  int world(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& members() const noexcept { return members_; }

  bool inter() const noexcept { return !remote_.empty(); }
  /// Returns the other group of an intercommunicator, which is empty in an intracommunicator.
  const std::vector<int>& remote() const noexcept { return remote_; }
  /// Returns the ranks that messages are sent to and received from.
  const std::vector<int>& peers() const noexcept { return inter() ? remote_ : members_; }
  int peer_count() const noexcept { return static_cast<int>(peers().size()); }
  int peer(int rank) const noexcept { return peers()[static_cast<std::size_t>(rank)]; }
  /// Returns whether this rank is the root of a collective. In an intercommunicator the root passes
  /// MPI_ROOT.
  bool is_root(int root) const noexcept { return root == (inter() ? root_here : rank_); }
  /// Returns a communicator of this rank's own group of an intercommunicator, for use within one of
  /// its collectives.
  std::shared_ptr<communicator> own_group() const { return among(members_, collective_tag_); }
  /// Returns the label of a rank, or of a wildcard, in messages. While only some ranks make a
  /// communicator, labels are ranks in the job, since a rank may make several with different
  /// partners.
  int label(int rank) const noexcept { return partial_ && rank >= 0 ? world(rank) : rank; }

  /// Messages of the caller, of collectives and of partitioned communication have separate
  /// contexts.
  std::uint32_t messages() const noexcept { return 4 * identity_; }
  std::uint32_t collectives() const noexcept { return 4 * identity_ + (partial_ ? 2 : 1); }
  std::uint32_t partitions() const noexcept { return 4 * identity_ + 3; }
  /// Returns the first of `count` numbers that no other partition sent by this rank has.
  int take_partition_tags(int count);

  /// Each nonblocking collective has its own tag, since nonblocking collectives may overtake each
  /// other. Blocking ones have tag 0. All ranks begin the collectives of a communicator in the same
  /// order.
  int collective_tag() const noexcept { return collective_tag_; }
  /// Returns this communicator with the tag of the next nonblocking collective.
  std::shared_ptr<communicator> for_collective(const collective_call& which);
  /// Records that this rank enters a blocking collective; `end` records that it leaves.
  void begin(const collective_call& which) noexcept;
  void end() noexcept { call_ = {}; }
  /// Returns the call that this rank's messages in a collective name now.
  collective_call call() const noexcept {
    return call_.function != 0 ? call_ : call_of_running_function();
  }
  /// Returns what this rank called as the counterpart of another rank's call `theirs`, if it still
  /// remembers that. `mine` receives the message, which may belong to an earlier collective.
  const collective_call& call_beside(const collective_call& theirs,
                                     const collective_call& mine) const noexcept;
  /// Returns a communicator of some of the ranks, while they make a communicator without the
  /// others. Its messages are separate from collectives and from messages of the caller.
  std::shared_ptr<communicator> among(std::vector<int> members, int tag) const;

  /// Returns the communicator's name, or its number of ranks.
  std::string words() const;
  /// Returns, as text, which ranks a message waits for.
  std::vector<missing_piece> missing(const request& one) const;

  std::optional<cartesian_topology> topology;
  std::shared_ptr<const graph_topology> graph;
  error_handler errors;
  std::string name;
  attribute_list attributes;
  info hints;
  std::shared_ptr<class send_buffer> buffer;  ///< the buffer given to MPI_Comm_attach_buffer
  session_buffer buffer_of_session;
  MPI_Comm handle = nullptr;  ///< the caller's handle, or MPI_COMM_NULL once it is freed

 private:
  std::vector<int> members_;
  int rank_;
  std::uint32_t identity_;
  std::vector<int> remote_;
  bool partial_ = false;
  int collective_tag_ = 0, last_collective_tag_ = 0, next_partition_tag_ = 0;
  collective_call call_;
  std::uint8_t last_number_ = 0;
  std::array<collective_call, 8> begun_{};  ///< the last blocking collectives, by number
};
using communicator_ptr = std::shared_ptr<communicator>;

/// Returns the communicator of a handle; throws mpi_error for MPI_COMM_NULL.
const communicator_ptr& communicator_of(MPI_Comm handle);
/// Throws mpi_error for an intercommunicator, too.
const communicator_ptr& one_group_of(MPI_Comm handle);
MPI_Comm new_handle(communicator_ptr comm);
const group_ptr& group_of(MPI_Group handle);
MPI_Group new_handle(group_ptr members);

/// Throws mpi_error unless `rank` can be sent to in the communicator or is MPI_PROC_NULL.
void require_peer(const communicator& comm, int rank);
/// Throws mpi_error for MPI_PROC_NULL, too.
void require_rank(const communicator& comm, int rank);
void require_root(const communicator& comm, int root);

}  // namespace onehop::mpi_abi
