// These functions send and receive messages.

#include "mpi/counted.hpp"
#include "recorder/recording.hpp"

namespace onehop::recorder {
namespace {

bool any(int peer, int tag) { return peer == mpi_abi::any_source || tag == mpi_abi::any_tag; }

/// Writes a receive of a message that has arrived, with its actual source and tag.
void write_received(const call& seen, const char* kind, MPI_Comm comm, const MPI_Status& of,
                    std::int64_t bytes) {
  write_event(seen, kind, comm, of.MPI_SOURCE, of.MPI_TAG, bytes);
}

/// Writes a message with a request, and gives the request its number.
void write_begun(const call& seen, const char* kind, MPI_Comm comm, int peer, int tag,
                 std::int64_t bytes, MPI_Request handle, bool persistent, bool from_any) {
  write_event(seen, kind, comm, peer, tag, bytes, here().add_request(handle, persistent, from_any));
}

}  // namespace
}  // namespace onehop::recorder

using namespace onehop::mpi_abi;
using onehop::recorder::any;
using onehop::recorder::bytes_of;
using onehop::recorder::write_begun;
using onehop::recorder::write_event;
using onehop::recorder::write_received;

extern "C" {

/// These define the functions of one send mode, as a replay treats them: a ready send counts as an
/// ordinary send.
#define ONEHOP_RECORD_SEND(Name, name, kind)                                                     \
  ONEHOP_RECORD(                                                                                 \
      MPI_##Name,                                                                                \
      (const void* buffer, count_type count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
      (buffer, count, type, to, tag, comm),                                                      \
      write_event(seen, kind, comm, to, tag, bytes_of(count, type)))                             \
  ONEHOP_RECORD(                                                                                 \
      MPI_I##name,                                                                               \
      (const void* buffer, count_type count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
       MPI_Request* made),                                                                       \
      (buffer, count, type, to, tag, comm, made),                                                \
      write_begun(seen, "i" kind, comm, to, tag, bytes_of(count, type), *made, false, false))    \
  ONEHOP_RECORD(                                                                                 \
      MPI_##Name##_init,                                                                         \
      (const void* buffer, count_type count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
       MPI_Request* made),                                                                       \
      (buffer, count, type, to, tag, comm, made),                                                \
      write_begun(seen, kind "_init", comm, to, tag, bytes_of(count, type), *made, true, false))

ONEHOP_RECORD_SEND(Send, send, "send")
ONEHOP_RECORD_SEND(Ssend, ssend, "ssend")
ONEHOP_RECORD_SEND(Rsend, rsend, "send")

ONEHOP_RECORD(MPI_Bsend,
              (const void* buffer, count_type count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm),
              (buffer, count, type, to, tag, comm),
              write_event(seen, "bsend", comm, to, tag, bytes_of(count, type)))

ONEHOP_RECORD_AFTER(ONEHOP_OWN_STATUS, MPI_Recv,
                    (void* buffer, count_type count, MPI_Datatype type, int from, int tag,
                     MPI_Comm comm, MPI_Status* status),
                    (buffer, count, type, from, tag, comm, status),
                    write_received(seen, "recv", comm, *status, bytes_of(count, type)))
ONEHOP_RECORD(MPI_Irecv,
              (void* buffer, count_type count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* made),
              (buffer, count, type, from, tag, comm, made),
              write_begun(seen, "irecv", comm, from, tag, bytes_of(count, type), *made, false,
                          any(from, tag)))
ONEHOP_RECORD(MPI_Recv_init,
              (void* buffer, count_type count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* made),
              (buffer, count, type, from, tag, comm, made),
              write_begun(seen, "recv_init", comm, from, tag, bytes_of(count, type), *made, true,
                          any(from, tag)))

ONEHOP_RECORD_AFTER(ONEHOP_OWN_STATUS, MPI_Sendrecv,
                    (const void* out, count_type out_count, MPI_Datatype out_type, int to,
                     int out_tag, void* in, count_type in_count, MPI_Datatype in_type, int from,
                     int in_tag, MPI_Comm comm, MPI_Status* status),
                    (out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                     comm, status),
                    write_event(seen, "sendrecv", comm, to, out_tag, bytes_of(out_count, out_type),
                                status->MPI_SOURCE, status->MPI_TAG, bytes_of(in_count, in_type)))
ONEHOP_RECORD_AFTER(ONEHOP_OWN_STATUS, MPI_Sendrecv_replace,
                    (void* buffer, count_type count, MPI_Datatype type, int to, int out_tag,
                     int from, int in_tag, MPI_Comm comm, MPI_Status* status),
                    (buffer, count, type, to, out_tag, from, in_tag, comm, status),
                    write_event(seen, "sendrecv", comm, to, out_tag, bytes_of(count, type),
                                status->MPI_SOURCE, status->MPI_TAG, bytes_of(count, type)))
}
