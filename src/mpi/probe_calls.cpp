// The functions of the ABI that probe for messages, and those for buffers of buffered sends.

#include <memory>
#include <utility>

#include "base/text.hpp"
#include "mpi/handles.hpp"
#include "mpi/matched.hpp"
#include "mpi/messages.hpp"
#include "mpi/send_buffer.hpp"

namespace onehop::mpi_abi {
namespace {

struct matched_message {
  communicator_ptr comm;
  engine::waiting_message message;
};

const MPI_Datatype byte_type_handle = fixed<MPI_Datatype>(0x247);

MPI_Status nobody() {
  MPI_Status status = empty_status();
  status.MPI_SOURCE = proc_null;
  return status;
}

/// A probe_of describes what a probe looks for. `found` describes the message that it found.
class probe_of {
 public:
  probe_of(int from, int tag, MPI_Comm comm) : from_(from), comm_(communicator_of(comm)) {
    prepare_receive(wanted_, {nullptr, 0, byte_type_handle, from, tag, comm});
  }
  bool is_for_nobody() const noexcept { return from_ == proc_null; }

  /// Looks once, or waits, and returns whether there is a message.
  bool look(bool waits) {
    const auto find = [this] {
      const auto one = running().find(wanted_.wanted());
      if (one) set_status(found, one->source, one->tag, one->bytes);
      return one.has_value();
    };
    if (is_for_nobody()) return true;
    if (!waits) return running().look(find);
    running().wait(find, [this] { return running().missing(wanted_); });
    return true;
  }

  MPI_Message take() const {
    if (is_for_nobody()) return fixed<MPI_Message>(message_no_proc);
    return reinterpret_cast<MPI_Message>(
        keep_object(matched_message{comm_, *running().extract(wanted_.wanted())}));
  }

  MPI_Status found = nobody();

 private:
  int from_;
  communicator_ptr comm_;
  request wanted_;
};

template <class Body>
int with_buffer(const entry& call, Body&& body) noexcept {
  return guarded(call, [&] { body(state().buffer, fixed<MPI_Comm>(comm_self)); });
}
template <class Body>
int with_buffer(MPI_Comm handle, const entry& call, Body&& body) noexcept {
  return guarded(handle, call, [&] { body(communicator_of(handle)->buffer, handle); });
}

}  // namespace

void receive_matched(request& one, MPI_Message& handle, void* buffer, std::ptrdiff_t count,
                     MPI_Datatype type) {
  auto* const taken = object_at<matched_message>(handle);
  if (taken == nullptr && number_of(handle) != message_no_proc)
    throw mpi_error(err_request, "no message has the handle, or it is MPI_MESSAGE_NULL");
  const typed_buffer into = checked(buffer, count, type);
  if (number_of(handle) == message_no_proc) {
    describe_receive(one, state().self, into, proc_null, any_tag);
    running().start(one);
  } else {
    const packet_header& header = taken->message.header;
    describe_receive(one, taken->comm, into, header.source, header.tag);
    running().start(one, taken->message);
    end_object(taken);
  }
  handle = fixed<MPI_Message>(message_null);
}

}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return guarded(comm, __func__, [&] {
    probe_of probe(from, tag, comm);
    probe.look(true);
    give_status(status, probe.found);
  });
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return guarded(comm, {__func__, flag}, [&] {
    probe_of probe(from, tag, comm);
    *flag = static_cast<int>(probe.look(false));
    if (*flag != 0) give_status(status, probe.found);
  });
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return guarded(comm, {__func__, message}, [&] {
    probe_of probe(from, tag, comm);
    probe.look(true);
    *message = probe.take();
    give_status(status, probe.found);
  });
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* status) {
  return guarded(comm, {__func__, flag, message}, [&] {
    probe_of probe(from, tag, comm);
    *flag = static_cast<int>(probe.look(false));
    *message = *flag != 0 ? probe.take() : fixed<MPI_Message>(message_null);
    if (*flag != 0) give_status(status, probe.found);
  });
}

ONEHOP_BUFFER(Buffer, )
ONEHOP_BUFFER(Comm, _buffer, MPI_Comm handle)
}
