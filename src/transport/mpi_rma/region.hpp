#pragma once
/// On a transport whose targets are reached by MPI_Put, windows are MPI windows.

#include <span>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"

namespace onehop::mpi_rma {

/// An opened_window is memory of this process that all ranks may access as long as it exists.
struct opened_window {
  MPI_Win handle = MPI_WIN_NULL;
  std::span<std::byte> local;
};

class windows {
 public:
  explicit windows(const mpi::job& where) : job_(where) {}

  /// Opens a window on existing memory; collective. Opens none if any rank's memory is null.
  memory_id expose_existing(std::span<std::byte> mine);
  void withdraw(memory_id id) noexcept;
  const opened_window& get(memory_id id) const { return by_id_[id]; }

 private:
  const mpi::job& job_;
  std::vector<opened_window> by_id_;
};

}  // namespace onehop::mpi_rma
