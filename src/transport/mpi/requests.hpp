#pragma once
#include <mpi.h>

#include <vector>

namespace onehop::mpi {

/// Ends a receive, whether or not its message ever comes, and frees it. Never throws.
void withdraw(MPI_Request& receive) noexcept;

/// Waits until the sends have left, for a peer that lives takes them; gives up after a while when
/// none does. Frees them. Never throws.
void finish_sends(std::vector<MPI_Request>& sends) noexcept;

}  // namespace onehop::mpi
