#pragma once
/// How the functions of the ABI carry out collectives. A plan is a function object that does one
/// rank's part of a collective. It owns everything that it needs, since the caller may free
/// datatypes and operations before it runs.

#include <functional>
#include <memory>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

using collective_plan = std::function<void(const communicator_ptr&)>;

/// Makes a request that runs the plan of a call when it is started. Unless the request is
/// persistent, starts it at once.
MPI_Request collective_request(const communicator_ptr& comm, const collective_call& which,
                               collective_plan plan, bool persistent);

/// During a collective_scope, this rank is in a blocking collective.
class collective_scope {
 public:
  collective_scope(communicator& comm, const collective_call& which) noexcept : comm_(comm) {
    comm_.begin(which);
  }
  ~collective_scope() { comm_.end(); }
  collective_scope(const collective_scope&) = delete;
  collective_scope& operator=(const collective_scope&) = delete;

 private:
  communicator& comm_;
};

/// Each of these functions makes a plan for a communicator; the first one also runs it.
/// `which(comm)` returns what the ranks must agree on.
template <class Which, class Make>
int do_now(const char* function, MPI_Comm handle, Which&& which, Make&& make) noexcept {
  return guarded(handle, function, [&] {
    const communicator_ptr& comm = communicator_of(handle);
    const auto plan = make(comm);
    const collective_scope scope(*comm, which(*comm));
    plan(comm);
  });
}
template <class Which, class Make>
int do_later(const entry& call, MPI_Comm handle, MPI_Request* made, bool persistent, Which&& which,
             Make&& make) noexcept {
  return guarded(handle, call, [&] {
    const communicator_ptr& comm = communicator_of(handle);
    collective_plan plan = make(comm);
    *made = collective_request(comm, which(*comm), std::move(plan), persistent);
  });
}

}  // namespace onehop::mpi_abi

#define ONEHOP_LIST(...) __VA_ARGS__
/// Defines what the ranks of a collective must agree on. `agreed` is empty or, after a comma, an
/// operation, a root, or both.
#define ONEHOP_WHICH(function, agreed)                              \
  [&](const communicator& comm) {                                   \
    static const std::uint16_t number = function_number(#function); \
    return called(number, comm.inter() ONEHOP_LIST agreed);         \
  }
#define ONEHOP_PLAN(...) \
  [&](const communicator_ptr& comm) { return static_cast<void>(comm), __VA_ARGS__; }
/// Defines the three functions of a collective: blocking, nonblocking and persistent. `parameters`
/// precede the communicator, which the plan calls `comm`.
#define ONEHOP_COLLECTIVE(Name, name, parameters, agreed, ...)                                   \
  int ONEHOP_ABI(MPI_##Name)(ONEHOP_LIST parameters MPI_Comm handle) {                           \
    return do_now(__func__, handle, ONEHOP_WHICH(MPI_##Name, agreed), ONEHOP_PLAN(__VA_ARGS__)); \
  }                                                                                              \
  int ONEHOP_ABI(MPI_I##name)(ONEHOP_LIST parameters MPI_Comm handle, MPI_Request * made) {      \
    return do_later({__func__, made}, handle, made, false, ONEHOP_WHICH(MPI_I##name, agreed),    \
                    ONEHOP_PLAN(__VA_ARGS__));                                                   \
  }                                                                                              \
  int ONEHOP_ABI(MPI_##Name##_init)(ONEHOP_LIST parameters MPI_Comm handle, MPI_Info hints,      \
                                    MPI_Request * made) {                                        \
    return do_later({__func__, hints, made}, handle, made, true,                                 \
                    ONEHOP_WHICH(MPI_##Name##_init, agreed), ONEHOP_PLAN(__VA_ARGS__));          \
  }
