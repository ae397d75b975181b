#pragma once
/// Checks that every function of the ABI with a window makes of the handle and the target.

#include <utility>

#include "mpi/errors.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {

/// Error handlers get the window's handle in place of the handle of its communicator.
MPI_Win new_handle(window_ptr made);

/// Throws mpi_error unless the rank belongs to the window.
void require_target(const window& here, int rank);

/// Throws mpi_error if memory that has bytes is NULL, which is also MPI_BOTTOM, or device memory.
void require_memory(const void* base, MPI_Aint bytes);

/// Runs the body of a function for a window, whose error handler handles the errors.
template <class Body>
int guarded_window(MPI_Win handle, const entry& call, Body&& body) noexcept {
  return guarded(call.function, [&] {
    const window_ptr here = window_of(handle);
    try {
      call.check();
      body(*here);
    } catch (mpi_error& error) {
      if (!error.comm) error.comm = here->comm();
      throw;
    }
  });
}

}  // namespace onehop::mpi_abi
