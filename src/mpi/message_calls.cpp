// The functions of the ABI that send and receive messages.

#include "mpi/counted.hpp"
#include "mpi/matched.hpp"
#include "mpi/messages.hpp"

namespace onehop::mpi_abi {
namespace {

int send(const char* name, const message_arguments& what, bool synchronous) {
  return guarded(what.comm, name, [&] {
    request one;
    prepare_send(one, what, synchronous);
    running().start_and_wait(one);
    require_success(one);
  });
}

int send_later(const entry& call, const message_arguments& what, bool synchronous, bool persistent,
               MPI_Request* handle) {
  return guarded(what.comm, call, [&] {
    give_request(handle, persistent, [&](request& one) { prepare_send(one, what, synchronous); });
  });
}

/// A buffered send is complete as soon as it has started.
int send_buffered_later(const entry& call, const message_arguments& what, bool persistent,
                        MPI_Request* handle) {
  return guarded(what.comm, call, [&] {
    give_request(handle, persistent, [&](request& one) {
      prepare_send(one, what, false);
      one.begin = [](request& begun) {
        auto sent = std::make_unique<request>();
        sent->sends = true;
        sent->comm = begun.comm;
        sent->context = begun.context;
        sent->buffer = begun.buffer;
        sent->count = begun.count;
        sent->type = begun.type;
        sent->peer = begun.peer;
        sent->tag = begun.tag;
        send_buffered(std::move(sent));
        running().complete(begun);
      };
    });
  });
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

/// Define the functions of one send mode: blocking, nonblocking and persistent.
#define ONEHOP_SEND(Name, name, synchronous)                                                       \
  int ONEHOP_ABI(MPI_##Name)(const void* buffer, count_type count, MPI_Datatype type, int to,      \
                             int tag, MPI_Comm comm) {                                             \
    return send(__func__, {buffer, count, type, to, tag, comm}, synchronous);                      \
  }                                                                                                \
  int ONEHOP_ABI(MPI_I##name)(const void* buffer, count_type count, MPI_Datatype type, int to,     \
                              int tag, MPI_Comm comm, MPI_Request* handle) {                       \
    return send_later({__func__, handle}, {buffer, count, type, to, tag, comm}, synchronous,       \
                      false, handle);                                                              \
  }                                                                                                \
  int ONEHOP_ABI(MPI_##Name##_init)(const void* buffer, count_type count, MPI_Datatype type,       \
                                    int to, int tag, MPI_Comm comm, MPI_Request* handle) {         \
    return send_later({__func__, handle}, {buffer, count, type, to, tag, comm}, synchronous, true, \
                      handle);                                                                     \
  }

extern "C" {

ONEHOP_SEND(Send, send, false)
ONEHOP_SEND(Ssend, ssend, true)
ONEHOP_SEND(Rsend, rsend, false)

int ONEHOP_ABI(MPI_Bsend)(const void* buffer, count_type count, MPI_Datatype type, int to, int tag,
                          MPI_Comm comm) {
  return guarded(comm, __func__, [&] {
    auto sent = std::make_unique<request>();
    prepare_send(*sent, {buffer, count, type, to, tag, comm}, false);
    send_buffered(std::move(sent));
  });
}
int ONEHOP_ABI(MPI_Ibsend)(const void* buffer, count_type count, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm, MPI_Request* handle) {
  return send_buffered_later({__func__, handle}, {buffer, count, type, to, tag, comm}, false,
                             handle);
}
int ONEHOP_ABI(MPI_Bsend_init)(const void* buffer, count_type count, MPI_Datatype type, int to,
                               int tag, MPI_Comm comm, MPI_Request* handle) {
  return send_buffered_later({__func__, handle}, {buffer, count, type, to, tag, comm}, true,
                             handle);
}

int ONEHOP_ABI(MPI_Recv)(void* buffer, count_type count, MPI_Datatype type, int from, int tag,
                         MPI_Comm comm, MPI_Status* status) {
  return guarded(comm, __func__, [&] {
    request one;
    prepare_receive(one, {buffer, count, type, from, tag, comm});
    running().start_and_wait(one);
    give_status(status, one.status);
    require_success(one);
  });
}
int ONEHOP_ABI(MPI_Irecv)(void* buffer, count_type count, MPI_Datatype type, int from, int tag,
                          MPI_Comm comm, MPI_Request* handle) {
  return guarded(comm, {__func__, handle}, [&] {
    give_request(handle, false, [&](request& one) {
      prepare_receive(one, {buffer, count, type, from, tag, comm});
    });
  });
}
int ONEHOP_ABI(MPI_Recv_init)(void* buffer, count_type count, MPI_Datatype type, int from, int tag,
                              MPI_Comm comm, MPI_Request* handle) {
  return guarded(comm, {__func__, handle}, [&] {
    give_request(handle, true, [&](request& one) {
      prepare_receive(one, {buffer, count, type, from, tag, comm});
    });
  });
}

int ONEHOP_ABI(MPI_Mrecv)(void* buffer, count_type count, MPI_Datatype type, MPI_Message* message,
                          MPI_Status* status) {
  return guarded({__func__, message}, [&] {
    request one;
    receive_matched(one, *message, buffer, count, type);
    running().wait(one);
    give_status(status, one.status);
    require_success(one);
  });
}
int ONEHOP_ABI(MPI_Imrecv)(void* buffer, count_type count, MPI_Datatype type, MPI_Message* message,
                           MPI_Request* handle) {
  return guarded({__func__, message, handle}, [&] {
    auto one = std::make_unique<request>();
    receive_matched(*one, *message, buffer, count, type);
    *handle = handle_of(*one.release());
  });
}

int ONEHOP_ABI(MPI_Sendrecv)(const void* out, count_type out_count, MPI_Datatype out_type, int to,
                             int out_tag, void* in, count_type in_count, MPI_Datatype in_type,
                             int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  return guarded(comm, __func__, [&] {
    give_status(status, exchange({out, out_count, out_type, to, out_tag, comm},
                                 {in, in_count, in_type, from, in_tag, comm}));
  });
}
int ONEHOP_ABI(MPI_Isendrecv)(const void* out, count_type out_count, MPI_Datatype out_type, int to,
                              int out_tag, void* in, count_type in_count, MPI_Datatype in_type,
                              int from, int in_tag, MPI_Comm comm, MPI_Request* handle) {
  return guarded(comm, {__func__, handle}, [&] {
    const message_arguments sent{out, out_count, out_type, to, out_tag, comm};
    const message_arguments received{in, in_count, in_type, from, in_tag, comm};
    require_exchange(sent, received);
    *handle = request_for(comm, [=] { return exchange(sent, received); });
  });
}

int ONEHOP_ABI(MPI_Sendrecv_replace)(void* buffer, count_type count, MPI_Datatype type, int to,
                                     int out_tag, int from, int in_tag, MPI_Comm comm,
                                     MPI_Status* status) {
  return guarded(comm, __func__, [&] {
    give_status(status, replace({buffer, count, type, to, out_tag, comm},
                                {buffer, count, type, from, in_tag, comm}));
  });
}
int ONEHOP_ABI(MPI_Isendrecv_replace)(void* buffer, count_type count, MPI_Datatype type, int to,
                                      int out_tag, int from, int in_tag, MPI_Comm comm,
                                      MPI_Request* handle) {
  return guarded(comm, {__func__, handle}, [&] {
    const message_arguments sent{buffer, count, type, to, out_tag, comm};
    const message_arguments received{buffer, count, type, from, in_tag, comm};
    require_exchange(sent, received);
    *handle = request_for(comm, [=] { return replace(sent, received); });
  });
}
}
