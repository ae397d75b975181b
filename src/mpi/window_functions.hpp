#pragma once
/// Every function of the ABI that takes a window checks its handle and its target here.

#include <utility>

#include "mpi/errors.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {

/// The window's communicator is known to error handlers by the window's handle.
MPI_Win new_handle(window_ptr made);

/// Throws mpi_error unless the rank is one of the window's.
void require_target(const window& here, int rank);

/// Throws mpi_error where memory that has bytes is NULL, which is MPI_BOTTOM too, or a device's.
void require_memory(const void* base, MPI_Aint bytes);

/// Runs the body of a function for a window, whose error handler takes the errors.
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
