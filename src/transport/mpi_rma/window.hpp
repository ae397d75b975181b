#pragma once
/// The windows of a wire whose targets are reached by MPI_Put.

#include <span>
#include <vector>

#include "rma/wire.hpp"
#include "transport/mpi/job.hpp"

namespace onehop::mpi_rma {

/// Memory that MPI has chosen, open to all ranks from beginning to end.
struct shared_window {
  MPI_Win handle = MPI_WIN_NULL;
  std::span<std::byte> local;
  std::vector<MPI_Aint> first;  ///< displacement of each rank's first page boundary
};

class windows {
 public:
  explicit windows(const mpi::job& where) : job_(where) {}

  memory_id expose(std::span<const std::size_t> bytes_of_rank);
  void withdraw(memory_id id) noexcept;
  const shared_window& get(memory_id id) const { return by_id_[id]; }

 private:
  shared_window make(std::size_t bytes) const;

  const mpi::job& job_;
  std::vector<shared_window> by_id_;
};

}  // namespace onehop::mpi_rma
