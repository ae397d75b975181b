#include "mpi/point_to_point.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

typed_buffer checked(const void* buffer, std::ptrdiff_t count, MPI_Datatype handle) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  const datatype_ptr& type = datatype_of(handle);
  if (!type->committed) throw mpi_error(err_type, "the datatype is not committed");
  if (buffer == nullptr && count > 0 && type->size() > 0 && type->true_lower() == 0)
    throw mpi_error(err_buffer, text("the buffer of ", count, " elements is NULL"));
  return {const_cast<void*>(buffer), static_cast<std::size_t>(count), type};
}

void require_apart(const typed_buffer& from, const typed_buffer& to) {
  const auto begin = [](const typed_buffer& one) {
    return static_cast<const std::byte*>(one.data) + one.type->true_lower();
  };
  const bool has_data = std::min(from.count, to.count) * from.type->size() > 0;
  if (has_data && begin(from) == begin(to))
    throw mpi_error(err_buffer, "what is given lies where the result goes: give MPI_IN_PLACE");
}

void require_success(const request& one) {
  if (one.error != success) throw mpi_error(one.error, one.why, one.comm);
}

namespace {

void describe(request& one, const communicator_ptr& comm, const typed_buffer& where) {
  one.comm = comm;
  one.buffer = where.data;
  one.count = where.count;
  one.type = where.type;
}

}  // namespace

void describe_send(request& one, const communicator_ptr& comm, const typed_buffer& from, int to,
                   int tag) {
  describe(one, comm, from);
  one.sends = true;
  one.peer = to;
  one.tag = tag;
  one.context = comm->collectives();
}

void describe_receive(request& one, const communicator_ptr& comm, const typed_buffer& into,
                      int from, int tag) {
  describe(one, comm, into);
  one.peer = from;
  one.label = comm->label(from);
  one.tag = tag;
  one.context = comm->collectives();
}

}  // namespace onehop::mpi_abi
