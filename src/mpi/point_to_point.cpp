#include "mpi/point_to_point.hpp"

#include <limits>
#include <memory>
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
  one.tag = tag;
  one.context = comm->collectives();
}

namespace {

void require_tag(int tag, bool may_be_any) {
  if (tag < 0 && !(may_be_any && tag == any_tag))
    throw mpi_error(err_tag, text("the tag is ", tag));
}

/// The arguments of a send or a receive, as the caller gives them.
struct message_arguments {
  const void* buffer;
  int count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
};

void prepare_send(request& one, const message_arguments& what, bool synchronous) {
  const communicator_ptr& comm = communicator_of(what.comm);
  require_peer(*comm, what.peer);
  require_tag(what.tag, false);
  describe_send(one, comm, checked(what.buffer, what.count, what.type), what.peer, what.tag);
  one.context = comm->messages();
  one.synchronous = synchronous;
}

void prepare_receive(request& one, const message_arguments& what) {
  const communicator_ptr& comm = communicator_of(what.comm);
  if (what.peer != any_source) require_peer(*comm, what.peer);
  require_tag(what.tag, true);
  describe_receive(one, comm, checked(what.buffer, what.count, what.type), what.peer, what.tag);
  one.context = comm->messages();
}

/// Makes a request for the caller and, unless it is persistent, starts it.
template <class Prepare>
void give_request(MPI_Request* handle, bool persistent, Prepare&& prepare) {
  auto made = std::make_unique<request>();
  prepare(*made);
  made->persistent = persistent;
  if (!persistent) running().start(*made);
  *handle = handle_of(*made.release());
}

int send(const char* name, const message_arguments& what, bool synchronous) {
  return guarded(what.comm, name, [&] {
    request one;
    prepare_send(one, what, synchronous);
    running().start(one);
    running().wait(one);
    require_success(one);
  });
}

int send_later(const char* name, const message_arguments& what, bool synchronous, bool persistent,
               MPI_Request* handle) {
  return guarded(what.comm, name, [&] {
    give_request(handle, persistent, [&](request& one) { prepare_send(one, what, synchronous); });
  });
}

void exchange(const message_arguments& out, const message_arguments& in, MPI_Status* status) {
  request sent, received;
  prepare_receive(received, in);
  prepare_send(sent, out, false);
  running().start(received);
  running().start(sent);
  running().wait(received);
  running().wait(sent);
  give_status(status, received.status);
  require_success(received);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send("MPI_Send", {buffer, count, type, to, tag, comm}, false);
}
int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send("MPI_Ssend", {buffer, count, type, to, tag, comm}, true);
}
int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send("MPI_Rsend", {buffer, count, type, to, tag, comm}, false);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* handle) {
  return send_later("MPI_Isend", {buffer, count, type, to, tag, comm}, false, false, handle);
}
int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* handle) {
  return send_later("MPI_Issend", {buffer, count, type, to, tag, comm}, true, false, handle);
}
int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* handle) {
  return send_later("MPI_Irsend", {buffer, count, type, to, tag, comm}, false, false, handle);
}
int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* handle) {
  return send_later("MPI_Send_init", {buffer, count, type, to, tag, comm}, false, true, handle);
}
int MPI_Ssend_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* handle) {
  return send_later("MPI_Ssend_init", {buffer, count, type, to, tag, comm}, true, true, handle);
}
int MPI_Rsend_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* handle) {
  return send_later("MPI_Rsend_init", {buffer, count, type, to, tag, comm}, false, true, handle);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return guarded(comm, "MPI_Recv", [&] {
    request one;
    prepare_receive(one, {buffer, count, type, from, tag, comm});
    running().start(one);
    running().wait(one);
    give_status(status, one.status);
    require_success(one);
  });
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* handle) {
  return guarded(comm, "MPI_Irecv", [&] {
    give_request(handle, false, [&](request& one) {
      prepare_receive(one, {buffer, count, type, from, tag, comm});
    });
  });
}
int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request* handle) {
  return guarded(comm, "MPI_Recv_init", [&] {
    give_request(handle, true, [&](request& one) {
      prepare_receive(one, {buffer, count, type, from, tag, comm});
    });
  });
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  return guarded(comm, "MPI_Sendrecv", [&] {
    exchange({out, out_count, out_type, to, out_tag, comm},
             {in, in_count, in_type, from, in_tag, comm}, status);
  });
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from,
                         int in_tag, MPI_Comm comm, MPI_Status* status) {
  return guarded(comm, "MPI_Sendrecv_replace", [&] {
    const typed_buffer what = checked(buffer, count, type);
    std::vector<std::byte> copy(what.count * what.type->size());
    what.type->pack(buffer, what.count, copy.data());
    if (copy.size() > std::numeric_limits<int>::max())
      throw mpi_error(err_count, onehop::text(copy.size(), " bytes are too many to be replaced"));
    const auto byte = fixed<MPI_Datatype>(0x247);
    exchange({copy.data(), static_cast<int>(copy.size()), byte, to, out_tag, comm},
             {buffer, count, type, from, in_tag, comm}, status);
  });
}

int MPI_Probe(int from, int tag, MPI_Comm handle, MPI_Status* status) {
  return guarded(handle, "MPI_Probe", [&] {
    request one;
    prepare_receive(one, {nullptr, 0, fixed<MPI_Datatype>(0x247), from, tag, handle});
    MPI_Status seen = empty_status();
    seen.MPI_SOURCE = proc_null;
    if (from != proc_null)
      running().wait(
          [&] {
            const auto found = running().find(one.wanted());
            if (found) set_status(seen, found->source, found->tag, found->bytes);
            return found.has_value();
          },
          [&] { return one.comm->missing(one); });
    give_status(status, seen);
  });
}

int MPI_Iprobe(int from, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  return guarded(handle, "MPI_Iprobe", [&] {
    request one;
    prepare_receive(one, {nullptr, 0, fixed<MPI_Datatype>(0x247), from, tag, handle});
    MPI_Status seen = empty_status();
    seen.MPI_SOURCE = proc_null;
    *flag = static_cast<int>(from == proc_null || running().look([&] {
      const auto found = running().find(one.wanted());
      if (found) set_status(seen, found->source, found->tag, found->bytes);
      return found.has_value();
    }));
    if (*flag != 0) give_status(status, seen);
  });
}
}
