// The functions of the ABI that return sizes of datatypes, and counts of elements in messages.

#include <algorithm>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/external.hpp"
#include "mpi/point_to_point.hpp"

namespace onehop::mpi_abi {
namespace {

#ifdef ONEHOP_LARGE_COUNTS
using extent_type = MPI_Count;
using external_size = MPI_Count;
#else
using extent_type = MPI_Aint;
using external_size = MPI_Aint;
#endif

count_type fitting(std::ptrdiff_t value) {
  return value <= std::numeric_limits<count_type>::max() ? static_cast<count_type>(value)
                                                         : undefined;
}

void require_room(std::ptrdiff_t room, std::ptrdiff_t position, std::size_t bytes) {
  if (position < 0 || position > room || bytes > static_cast<std::size_t>(room - position))
    throw mpi_error(err_truncate, text("a buffer of ", room, " bytes has no ", bytes,
                                       " bytes from byte ", position, " on"));
}

/// Returns how many elements of a datatype these bytes hold, including a partial last one.
std::ptrdiff_t elements_in(std::size_t bytes, const datatype& type) {
  const std::size_t count = type.take_elements(bytes);
  return bytes > 0 && type.size() > 0 ? undefined : static_cast<std::ptrdiff_t>(count);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int ONEHOP_ABI(MPI_Type_size)(MPI_Datatype type, count_type* size) {
  return guarded({__func__, size},
                 [&] { *size = fitting(static_cast<std::ptrdiff_t>(datatype_of(type)->size())); });
}

int ONEHOP_ABI(MPI_Type_get_extent)(MPI_Datatype type, extent_type* lower, extent_type* extent) {
  return guarded({__func__, lower, extent}, [&] {
    *lower = datatype_of(type)->lower();
    *extent = datatype_of(type)->extent();
  });
}

int ONEHOP_ABI(MPI_Type_get_true_extent)(MPI_Datatype type, extent_type* lower,
                                         extent_type* extent) {
  return guarded({__func__, lower, extent}, [&] {
    *lower = datatype_of(type)->true_lower();
    *extent = datatype_of(type)->true_extent();
  });
}

int ONEHOP_ABI(MPI_Get_count)(const MPI_Status* status, MPI_Datatype type, count_type* count) {
  return guarded({__func__, status, count}, [&] {
    const std::size_t bytes = bytes_in(*status), size = datatype_of(type)->size();
    const std::size_t whole = size == 0 ? 0 : bytes / size;
    *count = whole * size == bytes ? fitting(static_cast<std::ptrdiff_t>(whole)) : undefined;
  });
}

int ONEHOP_ABI(MPI_Get_elements)(const MPI_Status* status, MPI_Datatype type, count_type* count) {
  return guarded({__func__, status, count},
                 [&] { *count = fitting(elements_in(bytes_in(*status), *datatype_of(type))); });
}

int ONEHOP_ABI(MPI_Status_set_elements)(MPI_Status* status, MPI_Datatype type, count_type count) {
  return guarded({__func__, status}, [&] {
    const auto number = static_cast<std::size_t>(std::max<count_type>(count, 0));
    set_bytes(*status, datatype_of(type)->bytes_of(number));
  });
}

int ONEHOP_ABI(MPI_Pack_size)(count_type count, MPI_Datatype type, MPI_Comm comm,
                              count_type* bytes) {
  return guarded(comm, {__func__, bytes}, [&] {
    communicator_of(comm);
    if (count < 0) throw mpi_error(err_count, onehop::text("the count is ", count));
    *bytes = fitting(static_cast<std::ptrdiff_t>(count) *
                     static_cast<std::ptrdiff_t>(datatype_of(type)->size()));
  });
}

int ONEHOP_ABI(MPI_Pack)(const void* from, count_type count, MPI_Datatype type, void* packed,
                         count_type room, count_type* position, MPI_Comm comm) {
  return guarded(comm, {__func__, position, list_of{packed, room}}, [&] {
    communicator_of(comm);
    const typed_buffer what = checked(from, count, type);
    const std::size_t bytes = what.count * what.type->size();
    require_room(room, *position, bytes);
    copy(what, bytes_of(std::span(static_cast<std::byte*>(packed) + *position, bytes)));
    *position += static_cast<count_type>(bytes);
  });
}

int ONEHOP_ABI(MPI_Unpack)(const void* packed, count_type room, count_type* position, void* to,
                           count_type count, MPI_Datatype type, MPI_Comm comm) {
  return guarded(comm, {__func__, position, list_of{packed, room}}, [&] {
    communicator_of(comm);
    const typed_buffer what = checked(to, count, type);
    const std::size_t bytes = what.count * what.type->size();
    require_room(room, *position, bytes);
    const auto* const first = static_cast<const std::byte*>(packed) + *position;
    copy(bytes_of(std::span(const_cast<std::byte*>(first), bytes)), what);
    *position += static_cast<count_type>(bytes);
  });
}

int ONEHOP_ABI(MPI_Pack_external_size)(const char* representation, count_type count,
                                       MPI_Datatype type, external_size* bytes) {
  return guarded({__func__, representation, bytes}, [&] {
    require_external(representation);
    const typed_buffer what = checked(nullptr, 0, type);
    *bytes = static_cast<external_size>(external_bytes(*what.type)) * count;
  });
}

int ONEHOP_ABI(MPI_Pack_external)(const char* representation, const void* from, count_type count,
                                  MPI_Datatype type, void* packed, external_size room,
                                  external_size* position) {
  return guarded({__func__, representation, position, list_of{packed, room}}, [&] {
    require_external(representation);
    const typed_buffer what = checked(from, count, type);
    const std::size_t bytes = what.count * external_bytes(*what.type);
    require_room(room, *position, bytes);
    std::vector<std::byte> copy(what.count * what.type->size());
    what.type->pack(from, what.count, copy.data());
    to_external(copy, *what.type, static_cast<std::byte*>(packed) + *position);
    *position += static_cast<external_size>(bytes);
  });
}

int ONEHOP_ABI(MPI_Unpack_external)(const char* representation, const void* packed,
                                    external_size room, external_size* position, void* to,
                                    count_type count, MPI_Datatype type) {
  return guarded({__func__, representation, position, list_of{packed, room}}, [&] {
    require_external(representation);
    const typed_buffer what = checked(to, count, type);
    const std::size_t bytes = what.count * external_bytes(*what.type);
    require_room(room, *position, bytes);
    std::vector<std::byte> copy(what.count * what.type->size());
    from_external(static_cast<const std::byte*>(packed) + *position, *what.type, copy);
    what.type->unpack(copy, to);
    *position += static_cast<external_size>(bytes);
  });
}
}
