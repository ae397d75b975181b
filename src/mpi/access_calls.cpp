// The functions of the ABI that read, write and combine memory in windows.

#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"

namespace onehop::mpi_abi {
namespace {

one_sided_access at_target(window& here, int rank, MPI_Aint displacement, count_type count,
                           MPI_Datatype type) {
  require_target(here, rank);
  if (count < 0) throw mpi_error(err_count, "the count at the target is negative");
  here.require_epoch(rank);
  return {rank, displacement, static_cast<std::size_t>(count), datatype_of(type)};
}

/// Begins an access, and makes a request for it unless `made` is null. If the access `reads`,
/// `begin` is given the request and completes it when the data arrive; otherwise it is complete at
/// once.
template <class Begin>
int access(const entry& call, MPI_Win handle, MPI_Request* made, bool reads, int rank,
           Begin&& begin) noexcept {
  return guarded_window(handle, call, [&](window& here) {
    if (made == nullptr) {
      if (rank != proc_null) begin(here, nullptr);
      return;
    }
    auto one = std::make_unique<request>();
    one->comm = here.comm();
    one->peer = rank;
    one->active = true;
    one->status = empty_status();
    one->complete = rank == proc_null || !reads;
    if (rank != proc_null) begin(here, reads ? one.get() : nullptr);
    *made = handle_of(*one.release());
  });
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

#define ONEHOP_LIST(...) __VA_ARGS__
#define ONEHOP_BEGIN(...) [&](window& here, [[maybe_unused]] request* done) { here.__VA_ARGS__; }
/// Defines the two functions of an access, without and with a request. `parameters` precede the
/// window in the argument list. The last argument is the call of the window's member, with the
/// buffer, the target and, if the access reads, the request `done`.
#define ONEHOP_ACCESS(Name, name, reads, parameters, ...)                                  \
  int ONEHOP_ABI(MPI_##Name)(ONEHOP_LIST parameters MPI_Win handle) {                      \
    return access(__func__, handle, nullptr, reads, rank, ONEHOP_BEGIN(__VA_ARGS__));      \
  }                                                                                        \
  int ONEHOP_ABI(MPI_R##name)(ONEHOP_LIST parameters MPI_Win handle, MPI_Request * made) { \
    return access({__func__, made}, handle, made, reads, rank, ONEHOP_BEGIN(__VA_ARGS__)); \
  }
#define ONEHOP_TARGET int rank, MPI_Aint place, count_type count, MPI_Datatype type
#define ONEHOP_AT_TARGET at_target(here, rank, place, count, type)

extern "C" {

ONEHOP_ACCESS(Put, put, false,
              (const void* from, count_type from_count, MPI_Datatype from_type, ONEHOP_TARGET, ),
              put(checked(from, from_count, from_type), ONEHOP_AT_TARGET))

ONEHOP_ACCESS(Get, get, true,
              (void* into, count_type into_count, MPI_Datatype into_type, ONEHOP_TARGET, ),
              get(checked(into, into_count, into_type), ONEHOP_AT_TARGET, done))

ONEHOP_ACCESS(Accumulate, accumulate, false,
              (const void* from, count_type from_count, MPI_Datatype from_type, ONEHOP_TARGET,
               MPI_Op how, ),
              accumulate(checked(from, from_count, from_type), ONEHOP_AT_TARGET, how))

// MPI_NO_OP ignores the origin buffer, which may then have no datatype.
ONEHOP_ACCESS(Get_accumulate, get_accumulate, true,
              (const void* from, count_type from_count, MPI_Datatype from_type, void* into,
               count_type into_count, MPI_Datatype into_type, ONEHOP_TARGET, MPI_Op how, ),
              get_accumulate(number_of(how) == op_no_op ? checked(into, into_count, into_type)
                                                        : checked(from, from_count, from_type),
                             checked(into, into_count, into_type), ONEHOP_AT_TARGET, how, done))

#ifndef ONEHOP_LARGE_COUNTS
int MPI_Fetch_and_op(const void* from, void* result, MPI_Datatype type, int rank, MPI_Aint place,
                     MPI_Op how, MPI_Win handle) {
  return MPI_Get_accumulate(from, 1, type, result, 1, type, rank, place, 1, type, how, handle);
}

int MPI_Compare_and_swap(const void* value, const void* compared, void* result, MPI_Datatype type,
                         int rank, MPI_Aint place, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    for (const void* const one : {value, compared, static_cast<const void*>(result)})
      checked(one, 1, type);
    here.compare_and_swap(value, compared, result, at_target(here, rank, place, 1, type));
  });
}
#endif
}
