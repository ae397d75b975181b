// The functions of the ABI for partitioned communication.

#include <span>

#include "mpi/errors.hpp"
#include "mpi/partitioned.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

int make(const entry& call, const message_arguments& what, int partitions, bool sends,
         MPI_Request* handle) {
  return guarded(what.comm, call, [&] {
    give_request(handle, true, [&](request& one) {
      if (!sends && (what.peer == any_source || what.tag == any_tag))
        throw mpi_error(err_arg, "a receive in partitions is from one rank, with one tag");
      if (sends)
        prepare_send(one, what, false);
      else
        prepare_receive(one, what);
      one.parts = std::make_shared<partitioned_message>(what, partitions, sends);
      if (what.peer == proc_null) return;
      one.begin = [parts = one.parts](request& begun) {
        parts->begin();
        running().carry_out(begun, [&begun, parts] { begun.status = parts->finish(); });
      };
    });
  });
}

partitioned_message& parts_of(MPI_Request handle, bool sends) {
  const request& one = request_of(handle);
  if (!one.parts || one.sends != sends)
    throw mpi_error(err_request, "the request is none of partitions in this direction", one.comm);
  return *one.parts;
}
partitioned_message& begun_send(MPI_Request handle) {
  partitioned_message& parts = parts_of(handle, true);
  if (!request_at(handle).active)
    throw mpi_error(err_request, "the request has not been started", request_at(handle).comm);
  return parts;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int to,
                   int tag, MPI_Comm comm, MPI_Info hints, MPI_Request* handle) {
  return make({__func__, hints, handle}, {buffer, count, type, to, tag, comm}, partitions, true,
              handle);
}
int MPI_Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int from,
                   int tag, MPI_Comm comm, MPI_Info hints, MPI_Request* handle) {
  return make({__func__, hints, handle}, {buffer, count, type, from, tag, comm}, partitions, false,
              handle);
}

int MPI_Pready(int part, MPI_Request handle) {
  return guarded(__func__, [&] { begun_send(handle).ready(part, part); });
}
int MPI_Pready_range(int first, int last, MPI_Request handle) {
  return guarded(__func__, [&] { begun_send(handle).ready(first, last); });
}
int MPI_Pready_list(int length, const int* parts, MPI_Request handle) {
  return guarded({__func__, list_of{parts, length}}, [&] {
    if (length < 0) throw mpi_error(err_count, "the number of partitions is negative");
    for (const int part : std::span(parts, static_cast<std::size_t>(length)))
      begun_send(handle).ready(part, part);
  });
}

int MPI_Parrived(MPI_Request handle, int part, int* flag) {
  return guarded({__func__, flag}, [&] {
    const partitioned_message& parts = parts_of(handle, false);
    const request& one = request_at(handle);
    const auto is_there = [&] { return !one.active || one.complete || parts.has(part); };
    *flag = static_cast<int>(is_there() || running().look(is_there));
  });
}
}
