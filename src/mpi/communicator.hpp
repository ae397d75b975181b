#pragma once
/// Communicators and groups: ranks of the job in an order of their own.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/abi.hpp"
#include "mpi/request.hpp"
#include "rma/waiter.hpp"

namespace onehop::mpi_abi {

/// A group is a list of ranks of the job.
struct group {
  std::vector<int> members;

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

/// An error_handler is a predefined one, or a function of the caller's.
struct error_handler {
  MPI_Errhandler fixed_handle = nullptr;
  MPI_Comm_errhandler_function* call = nullptr;
};

class communicator {
 public:
  /// Messages of two communicators with a rank in common have different identities.
  communicator(std::vector<int> members, int rank, std::uint32_t identity);

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return static_cast<int>(members_.size()); }
  int world(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& members() const noexcept { return members_; }

  /// Messages of the caller and those of collectives are kept apart.
  std::uint32_t messages() const noexcept { return 2 * identity_; }
  std::uint32_t collectives() const noexcept { return 2 * identity_ + 1; }

  /// Returns whom a request waits for, in words.
  std::vector<missing_piece> missing(const request& one) const;

  std::optional<cartesian_topology> topology;
  error_handler errors;
  std::string name;
  MPI_Comm handle = nullptr;  ///< what the caller knows it by, or MPI_COMM_NULL once it is freed

 private:
  std::vector<int> members_;
  int rank_;
  std::uint32_t identity_;
};
using communicator_ptr = std::shared_ptr<communicator>;

/// Returns the communicator of a handle; throws mpi_error for MPI_COMM_NULL.
const communicator_ptr& communicator_of(MPI_Comm handle);
MPI_Comm new_handle(communicator_ptr comm);
const group_ptr& group_of(MPI_Group handle);
MPI_Group new_handle(group_ptr members);

/// Throws mpi_error unless the rank is one of the communicator's, or MPI_PROC_NULL.
void require_peer(const communicator& comm, int rank);
void require_root(const communicator& comm, int root);

}  // namespace onehop::mpi_abi
