#pragma once
/// The windows of a transport whose targets are reached by MPI_Put.

#include <span>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"

namespace onehop::mpi_rma {

/// Memory that MPI has chosen, open to all ranks from beginning to end.
///
/// It belongs to two windows: one that the ranks of a machine share, for their loads and stores,
/// and one of all ranks over the same memory, for MPI_Put from other machines.
struct shared_window {
  MPI_Win handle = MPI_WIN_NULL, here = MPI_WIN_NULL;
  std::span<std::byte> local;
  std::vector<MPI_Aint> first;     ///< displacement of each rank's first page boundary
  std::vector<std::byte*> direct;  ///< that boundary's address, null where stores do not reach it
};

class windows {
 public:
  explicit windows(const mpi::job& where);

  memory_id expose(std::span<const std::size_t> bytes_of_rank);
  void withdraw(memory_id id) noexcept;
  const shared_window& get(memory_id id) const { return by_id_[id]; }

 private:
  shared_window make(std::size_t bytes) const;
  void find_neighbours(shared_window& window) const;

  const mpi::job& job_;
  MPI_Comm machine_ = MPI_COMM_NULL;  ///< of those that share memory; lives as long as MPI
  std::vector<int> machine_rank_;     ///< there, of each rank; MPI_UNDEFINED elsewhere
  std::vector<shared_window> by_id_;
};

}  // namespace onehop::mpi_rma
