#pragma once
/// How the functions of the ABI carry out collectives. A plan is a function object that does a
/// rank's part of a collective; it keeps everything that it needs, since the caller may free
/// datatypes and operations meanwhile.

#include <functional>
#include <memory>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

using collective_plan = std::function<void(const communicator_ptr&)>;

/// Makes a request that carries out a plan when it is started, and starts it unless it is
/// persistent.
MPI_Request collective_request(const communicator_ptr& comm, collective_plan plan, bool persistent);

/// Each of these makes a plan for a communicator, and the first one carries it out.
template <class Make>
int do_now(const char* function, MPI_Comm handle, Make&& make) noexcept {
  return guarded(handle, function, [&] {
    const communicator_ptr& comm = communicator_of(handle);
    make(comm)(comm);
  });
}
template <class Make>
int do_later(const char* function, MPI_Comm handle, MPI_Request* made, bool persistent,
             Make&& make) noexcept {
  return guarded(handle, function, [&] {
    const communicator_ptr& comm = communicator_of(handle);
    *made = collective_request(comm, make(comm), persistent);
  });
}

}  // namespace onehop::mpi_abi

#define ONEHOP_LIST(...) __VA_ARGS__
/// Defines the three functions of a collective: the one that blocks, the one that does not, and the
/// persistent one. `parameters` stand before the communicator, which the plan knows as `comm`.
#define ONEHOP_COLLECTIVE(Name, name, parameters, ...)                                      \
  int ONEHOP_ABI(MPI_##Name)(ONEHOP_LIST parameters MPI_Comm handle) {                      \
    return do_now(__func__, handle, [&](const communicator_ptr& comm) {                     \
      return static_cast<void>(comm), __VA_ARGS__;                                          \
    });                                                                                     \
  }                                                                                         \
  int ONEHOP_ABI(MPI_I##name)(ONEHOP_LIST parameters MPI_Comm handle, MPI_Request * made) { \
    return do_later(__func__, handle, made, false, [&](const communicator_ptr& comm) {      \
      return static_cast<void>(comm), __VA_ARGS__;                                          \
    });                                                                                     \
  }                                                                                         \
  int ONEHOP_ABI(MPI_##Name##_init)(ONEHOP_LIST parameters MPI_Comm handle, MPI_Info,       \
                                    MPI_Request * made) {                                   \
    return do_later(__func__, handle, made, true, [&](const communicator_ptr& comm) {       \
      return static_cast<void>(comm), __VA_ARGS__;                                          \
    });                                                                                     \
  }
