// The functions of the ABI that read and write files. Nonblocking functions do all work at once,
// and split collectives do all work in their first call.

#include <memory>

#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/file.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// An access begins at an offset from the caller, or at the individual or the shared position.
enum class from { own, shared, ordered };

MPI_Offset begin_of(file& here, from where, std::size_t bytes) {
  return where == from::own      ? here.advance(bytes)
         : where == from::shared ? here.advance_shared(bytes)
                                 : here.advance_ordered(bytes);
}

MPI_Status status_of(std::size_t bytes) {
  MPI_Status status = empty_status();
  set_status(status, any_source, any_tag, bytes);
  return status;
}

MPI_Status read_at(file& here, MPI_Offset offset, void* to, count_type count, MPI_Datatype type) {
  here.require_random_access();
  return status_of(here.read(offset, checked(to, count, type)));
}
MPI_Status write_at(file& here, MPI_Offset offset, const void* data, count_type count,
                    MPI_Datatype type) {
  here.require_random_access();
  return status_of(here.write(offset, checked(data, count, type)));
}

// The position advances by the bytes that were read, which may be fewer than requested.
MPI_Status read_from(file& here, from where, void* to, count_type count, MPI_Datatype type) {
  const typed_buffer into = checked(to, count, type);
  if (where == from::own) {
    here.require_random_access();
    const std::size_t bytes = here.read(here.position(), into);
    here.advance(bytes);
    return status_of(bytes);
  }
  return status_of(here.read(begin_of(here, where, into.count * into.type->size()), into));
}
MPI_Status write_from(file& here, from where, const void* data, count_type count,
                      MPI_Datatype type) {
  const typed_buffer what = checked(data, count, type);
  if (where == from::own) here.require_random_access();
  return status_of(here.write(begin_of(here, where, what.count * what.type->size()), what));
}

/// Makes a request that is already complete.
MPI_Request done_request(const file& here, const MPI_Status& status) {
  auto made = std::make_unique<request>();
  made->comm = here.comm();
  made->active = made->complete = true;
  made->status = status;
  return handle_of(*made.release());
}

/// Lets `transfer` do all the work of a split collective. Throws if another one is in progress.
template <class Transfer>
void begin_split(file& here, Transfer&& transfer) {
  if (here.begun) throw mpi_error(err_other, "a split collective of the file has not ended");
  here.begun = transfer();
}
[[maybe_unused]] int end_split(const char* function, MPI_File handle, MPI_Status* status) {
  return guarded_file(handle, function, [&](file& here) {
    if (!here.begun) throw mpi_error(err_other, "no split collective of the file has begun");
    give_status(status, *here.begun);
    here.begun.reset();
  });
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

/// Define the functions of one way to read or write: blocking, nonblocking, and the first call of a
/// split collective.
#define ONEHOP_BLOCKS(name, data_type, parameters, ...)                                           \
  int ONEHOP_ABI(MPI_File_##name)(MPI_File handle, parameters data_type data, count_type count,   \
                                  MPI_Datatype type, MPI_Status * status) {                       \
    return guarded_file(handle, __func__, [&](file& here) { give_status(status, __VA_ARGS__); }); \
  }
#define ONEHOP_LATER(name, data_type, parameters, ...)                                           \
  int ONEHOP_ABI(MPI_File_i##name)(MPI_File handle, parameters data_type data, count_type count, \
                                   MPI_Datatype type, MPI_Request * made) {                      \
    return guarded_file(handle, {__func__, made},                                                \
                        [&](file& here) { *made = done_request(here, __VA_ARGS__); });           \
  }
#define ONEHOP_SPLIT(name, data_type, parameters, ...)                                        \
  int ONEHOP_ABI(MPI_File_##name##_begin)(MPI_File handle, parameters data_type data,         \
                                          count_type count, MPI_Datatype type) {              \
    return guarded_file(handle, __func__,                                                     \
                        [&](file& here) { begin_split(here, [&] { return __VA_ARGS__; }); }); \
  }
#define ONEHOP_OFFSET MPI_Offset offset,
#define ONEHOP_NOTHING

extern "C" {

ONEHOP_BLOCKS(read_at, void*, ONEHOP_OFFSET, read_at(here, offset, data, count, type))
ONEHOP_LATER(read_at, void*, ONEHOP_OFFSET, read_at(here, offset, data, count, type))
ONEHOP_BLOCKS(read_at_all, void*, ONEHOP_OFFSET, read_at(here, offset, data, count, type))
ONEHOP_LATER(read_at_all, void*, ONEHOP_OFFSET, read_at(here, offset, data, count, type))
ONEHOP_SPLIT(read_at_all, void*, ONEHOP_OFFSET, read_at(here, offset, data, count, type))
ONEHOP_BLOCKS(write_at, const void*, ONEHOP_OFFSET, write_at(here, offset, data, count, type))
ONEHOP_LATER(write_at, const void*, ONEHOP_OFFSET, write_at(here, offset, data, count, type))
ONEHOP_BLOCKS(write_at_all, const void*, ONEHOP_OFFSET, write_at(here, offset, data, count, type))
ONEHOP_LATER(write_at_all, const void*, ONEHOP_OFFSET, write_at(here, offset, data, count, type))
ONEHOP_SPLIT(write_at_all, const void*, ONEHOP_OFFSET, write_at(here, offset, data, count, type))

ONEHOP_BLOCKS(read, void*, ONEHOP_NOTHING, read_from(here, from::own, data, count, type))
ONEHOP_LATER(read, void*, ONEHOP_NOTHING, read_from(here, from::own, data, count, type))
ONEHOP_BLOCKS(read_all, void*, ONEHOP_NOTHING, read_from(here, from::own, data, count, type))
ONEHOP_LATER(read_all, void*, ONEHOP_NOTHING, read_from(here, from::own, data, count, type))
ONEHOP_SPLIT(read_all, void*, ONEHOP_NOTHING, read_from(here, from::own, data, count, type))
ONEHOP_BLOCKS(write, const void*, ONEHOP_NOTHING, write_from(here, from::own, data, count, type))
ONEHOP_LATER(write, const void*, ONEHOP_NOTHING, write_from(here, from::own, data, count, type))
ONEHOP_BLOCKS(write_all, const void*, ONEHOP_NOTHING,
              write_from(here, from::own, data, count, type))
ONEHOP_LATER(write_all, const void*, ONEHOP_NOTHING, write_from(here, from::own, data, count, type))
ONEHOP_SPLIT(write_all, const void*, ONEHOP_NOTHING, write_from(here, from::own, data, count, type))

ONEHOP_BLOCKS(read_shared, void*, ONEHOP_NOTHING, read_from(here, from::shared, data, count, type))
ONEHOP_LATER(read_shared, void*, ONEHOP_NOTHING, read_from(here, from::shared, data, count, type))
ONEHOP_BLOCKS(read_ordered, void*, ONEHOP_NOTHING,
              read_from(here, from::ordered, data, count, type))
ONEHOP_SPLIT(read_ordered, void*, ONEHOP_NOTHING, read_from(here, from::ordered, data, count, type))
ONEHOP_BLOCKS(write_shared, const void*, ONEHOP_NOTHING,
              write_from(here, from::shared, data, count, type))
ONEHOP_LATER(write_shared, const void*, ONEHOP_NOTHING,
             write_from(here, from::shared, data, count, type))
ONEHOP_BLOCKS(write_ordered, const void*, ONEHOP_NOTHING,
              write_from(here, from::ordered, data, count, type))
ONEHOP_SPLIT(write_ordered, const void*, ONEHOP_NOTHING,
             write_from(here, from::ordered, data, count, type))

#ifndef ONEHOP_LARGE_COUNTS
#define ONEHOP_END(name, data_type)                                           \
  int MPI_File_##name##_end(MPI_File handle, data_type, MPI_Status* status) { \
    return end_split(__func__, handle, status);                               \
  }
ONEHOP_END(read_all, void*)
ONEHOP_END(read_at_all, void*)
ONEHOP_END(read_ordered, void*)
ONEHOP_END(write_all, const void*)
ONEHOP_END(write_at_all, const void*)
ONEHOP_END(write_ordered, const void*)
#endif
}
