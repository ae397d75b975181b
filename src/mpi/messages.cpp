#include "mpi/messages.hpp"

#include <vector>

#include "base/text.hpp"
#include "mpi/send_buffer.hpp"

namespace onehop::mpi_abi {
namespace {

void require_tag(int tag, bool may_be_any) {
  if (tag < 0 && !(may_be_any && tag == any_tag))
    throw mpi_error(err_tag, text("the tag is ", tag));
}

}  // namespace

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

void require_exchange(const message_arguments& out, const message_arguments& in) {
  request sent, received;
  prepare_receive(received, in);
  prepare_send(sent, out, false);
}

MPI_Status exchange(const message_arguments& out, const message_arguments& in) {
  request sent, received;
  prepare_receive(received, in);
  prepare_send(sent, out, false);
  running().start(received);
  running().start(sent);
  running().wait(received);
  running().wait(sent);
  require_success(received);
  return received.status;
}

MPI_Status replace(const message_arguments& out, const message_arguments& in) {
  const typed_buffer what = checked(out.buffer, out.count, out.type);
  std::vector<std::byte> copy(what.count * what.type->size());
  what.type->pack(out.buffer, what.count, copy.data());
  const auto bytes = static_cast<std::ptrdiff_t>(copy.size());
  return exchange({copy.data(), bytes, fixed<MPI_Datatype>(0x247), out.peer, out.tag, out.comm},
                  in);
}

MPI_Request request_for(MPI_Comm comm, std::function<MPI_Status()> body) {
  auto made = std::make_unique<request>();
  made->comm = communicator_of(comm);
  made->begin = [body = std::move(body)](request& one) {
    running().carry_out(one, [&one, body] { one.status = body(); });
  };
  running().start(*made);
  return handle_of(*made.release());
}

namespace {

/// Returns the buffer for buffered sends on a communicator, or null.
send_buffer* buffer_for(const communicator& comm) {
  if (comm.buffer) return comm.buffer.get();
  if (comm.buffer_of_session && *comm.buffer_of_session) return comm.buffer_of_session->get();
  return state().buffer.get();
}

}  // namespace

void send_buffered(std::unique_ptr<request> sent) {
  if (sent->peer == proc_null) return;
  send_buffer* const buffer = buffer_for(*sent->comm);
  if (buffer == nullptr) throw mpi_error(err_buffer, "no buffer is attached", sent->comm);
  buffer->send(std::move(sent));
}

}  // namespace onehop::mpi_abi
