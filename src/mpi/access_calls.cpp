// The functions of the ABI that read, write and combine memory of windows.

#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"

namespace onehop::mpi_abi {
namespace {

one_sided_access at_target(const window& here, int rank, MPI_Aint displacement, count_type count,
                           MPI_Datatype type) {
  require_target(here, rank);
  if (count < 0) throw mpi_error(err_count, "the count at the target is negative");
  return {rank, displacement, static_cast<std::size_t>(count), datatype_of(type)};
}

/// Makes a request of an access, which `begin` starts; it is complete at once unless data come
/// back.
template <class Begin>
void with_request(const window& here, int rank, MPI_Request* handle, bool reads, Begin&& begin) {
  auto made = std::make_unique<request>();
  made->comm = here.comm();
  made->peer = rank;
  made->active = true;
  made->status = empty_status();
  made->complete = rank == proc_null || !reads;
  if (rank != proc_null) begin(reads ? made.get() : nullptr);
  *handle = handle_of(*made.release());
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int ONEHOP_ABI(MPI_Put)(const void* from, count_type from_count, MPI_Datatype from_type, int rank,
                        MPI_Aint place, count_type count, MPI_Datatype type, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    here.put(checked(from, from_count, from_type), at_target(here, rank, place, count, type));
  });
}

int ONEHOP_ABI(MPI_Rput)(const void* from, count_type from_count, MPI_Datatype from_type, int rank,
                         MPI_Aint place, count_type count, MPI_Datatype type, MPI_Win handle,
                         MPI_Request* made) {
  return guarded_window(handle, __func__, [&](window& here) {
    with_request(here, rank, made, false, [&](request*) {
      here.put(checked(from, from_count, from_type), at_target(here, rank, place, count, type));
    });
  });
}

int ONEHOP_ABI(MPI_Get)(void* into, count_type into_count, MPI_Datatype into_type, int rank,
                        MPI_Aint place, count_type count, MPI_Datatype type, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    here.get(checked(into, into_count, into_type), at_target(here, rank, place, count, type),
             nullptr);
  });
}

int ONEHOP_ABI(MPI_Rget)(void* into, count_type into_count, MPI_Datatype into_type, int rank,
                         MPI_Aint place, count_type count, MPI_Datatype type, MPI_Win handle,
                         MPI_Request* made) {
  return guarded_window(handle, __func__, [&](window& here) {
    with_request(here, rank, made, true, [&](request* done) {
      here.get(checked(into, into_count, into_type), at_target(here, rank, place, count, type),
               done);
    });
  });
}

int ONEHOP_ABI(MPI_Accumulate)(const void* from, count_type from_count, MPI_Datatype from_type,
                               int rank, MPI_Aint place, count_type count, MPI_Datatype type,
                               MPI_Op how, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    here.accumulate(checked(from, from_count, from_type), at_target(here, rank, place, count, type),
                    how);
  });
}

int ONEHOP_ABI(MPI_Raccumulate)(const void* from, count_type from_count, MPI_Datatype from_type,
                                int rank, MPI_Aint place, count_type count, MPI_Datatype type,
                                MPI_Op how, MPI_Win handle, MPI_Request* made) {
  return guarded_window(handle, __func__, [&](window& here) {
    with_request(here, rank, made, false, [&](request*) {
      here.accumulate(checked(from, from_count, from_type),
                      at_target(here, rank, place, count, type), how);
    });
  });
}

// MPI_NO_OP does not look at what is combined, which may have no datatype then.
#define ONEHOP_FROM                                                  \
  (number_of(how) == op_no_op ? checked(into, into_count, into_type) \
                              : checked(from, from_count, from_type))

int ONEHOP_ABI(MPI_Get_accumulate)(const void* from, count_type from_count, MPI_Datatype from_type,
                                   void* into, count_type into_count, MPI_Datatype into_type,
                                   int rank, MPI_Aint place, count_type count, MPI_Datatype type,
                                   MPI_Op how, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    here.get_accumulate(ONEHOP_FROM, checked(into, into_count, into_type),
                        at_target(here, rank, place, count, type), how, nullptr);
  });
}

int ONEHOP_ABI(MPI_Rget_accumulate)(const void* from, count_type from_count, MPI_Datatype from_type,
                                    void* into, count_type into_count, MPI_Datatype into_type,
                                    int rank, MPI_Aint place, count_type count, MPI_Datatype type,
                                    MPI_Op how, MPI_Win handle, MPI_Request* made) {
  return guarded_window(handle, __func__, [&](window& here) {
    with_request(here, rank, made, true, [&](request* done) {
      here.get_accumulate(ONEHOP_FROM, checked(into, into_count, into_type),
                          at_target(here, rank, place, count, type), how, done);
    });
  });
}

#ifndef ONEHOP_LARGE_COUNTS
int MPI_Fetch_and_op(const void* from, void* result, MPI_Datatype type, int rank, MPI_Aint place,
                     MPI_Op how, MPI_Win handle) {
  return MPI_Get_accumulate(from, 1, type, result, 1, type, rank, place, 1, type, how, handle);
}

int MPI_Compare_and_swap(const void* value, const void* compared, void* result, MPI_Datatype type,
                         int rank, MPI_Aint place, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) {
    if (rank == proc_null) return;
    here.compare_and_swap(value, compared, result, at_target(here, rank, place, 1, type));
  });
}
#endif
}
