// These functions execute orders on messages, requests and communicators.

#include <unordered_map>

#include "recorder/replay.hpp"

extern "C" {
#define ONEHOP_ARGUMENTS const void*, int, MPI_Datatype, int, int, MPI_Comm
int MPI_Send(ONEHOP_ARGUMENTS);
int MPI_Ssend(ONEHOP_ARGUMENTS);
int MPI_Isend(ONEHOP_ARGUMENTS, MPI_Request*);
int MPI_Issend(ONEHOP_ARGUMENTS, MPI_Request*);
int MPI_Send_init(ONEHOP_ARGUMENTS, MPI_Request*);
int MPI_Ssend_init(ONEHOP_ARGUMENTS, MPI_Request*);
#undef ONEHOP_ARGUMENTS
int MPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int MPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                 MPI_Comm, MPI_Status*);
int MPI_Probe(int, int, MPI_Comm, MPI_Status*);
int MPI_Startall(int, MPI_Request*);
int MPI_Waitall(int, MPI_Request*, MPI_Status*);
int MPI_Request_free(MPI_Request*);
int MPI_Comm_dup(MPI_Comm, MPI_Comm*);
int MPI_Comm_split(MPI_Comm, int, int, MPI_Comm*);
int MPI_Comm_group(MPI_Comm, MPI_Group*);
int MPI_Group_incl(MPI_Group, int, const int*, MPI_Group*);
int MPI_Group_free(MPI_Group*);
int MPI_Comm_create(MPI_Comm, MPI_Group, MPI_Comm*);
int MPI_Comm_create_group(MPI_Comm, MPI_Group, int, MPI_Comm*);
int MPI_Cart_create(MPI_Comm, int, const int*, const int*, int, MPI_Comm*);
int MPI_Cart_sub(MPI_Comm, const int*, MPI_Comm*);
int MPI_Comm_free(MPI_Comm*);
}

namespace onehop::recorder {
namespace {

/// Every line of a message, also one with a request, has these words.
struct message {
  message(stage& here, orders_reader& words)
      : comm(here.comm(words.number())),
        peer(words.whole()),
        tag(words.whole()),
        bytes(words.whole()) {}
  MPI_Comm comm;
  int peer, tag, bytes;
};

using sending = int(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using beginning = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
using expecting = int(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

template <sending* Send>
void send(stage& here, orders_reader& words) {
  const message one(here, words);
  Send(here.out(), one.bytes, byte, one.peer, one.tag, one.comm);
}
template <beginning* Send>
void send_later(stage& here, orders_reader& words) {
  const message one(here, words);
  Send(here.out(), one.bytes, byte, one.peer, one.tag, one.comm, &here.request(words.number()));
}
template <expecting* Receive>
void receive_later(stage& here, orders_reader& words) {
  const message one(here, words);
  Receive(here.in(), one.bytes, byte, one.peer, one.tag, one.comm, &here.request(words.number()));
}

void receive(stage& here, orders_reader& words) {
  const message one(here, words);
  MPI_Recv(here.in(), one.bytes, byte, one.peer, one.tag, one.comm, nullptr);
}
/// A buffered send proceeds without its caller.
void send_buffered(stage& here, orders_reader& words) {
  const message one(here, words);
  MPI_Request made = nullptr;
  MPI_Isend(here.out(), one.bytes, byte, one.peer, one.tag, one.comm, &made);
  MPI_Request_free(&made);
}
void send_and_receive(stage& here, orders_reader& words) {
  const message out(here, words);
  const int from = words.whole(), tag = words.whole(), bytes = words.whole();
  MPI_Sendrecv(here.out(), out.bytes, byte, out.peer, out.tag, here.in(), bytes, byte, from, tag,
               out.comm, nullptr);
}
void probe(stage& here, orders_reader& words) {
  const MPI_Comm comm = here.comm(words.number());
  const int from = words.whole(), tag = words.whole();
  MPI_Probe(from, tag, comm, nullptr);
}

/// Calls `what` with the handles of the listed requests, and stores their new values.
template <class What>
void with_requests(stage& here, orders_reader& words, What&& what) {
  const std::vector<int> numbers = words.list();
  std::vector<MPI_Request> handles;
  for (const int number : numbers) handles.push_back(here.request(number));
  what(static_cast<int>(handles.size()), handles.data());
  for (std::size_t i = 0; i < handles.size(); ++i) {
    here.request(numbers[i]) = handles[i];
    if (mpi_abi::number_of(handles[i]) == mpi_abi::request_null) here.forget_request(numbers[i]);
  }
}
void start(stage& here, orders_reader& words) { with_requests(here, words, MPI_Startall); }
void wait(stage& here, orders_reader& words) {
  with_requests(here, words, [](int count, MPI_Request* all) { MPI_Waitall(count, all, nullptr); });
}
void free_request(stage& here, orders_reader& words) {
  const std::int64_t number = words.number();
  MPI_Request_free(&here.request(number));
  here.forget_request(number);
}

/// Every line that makes a communicator begins with its parent, its number and this rank's number
/// in it.
template <class Make>
void make(stage& here, orders_reader& words, Make&& how) {
  const MPI_Comm parent = here.comm(words.number());
  const std::int64_t number = words.number();
  const int rank = words.whole();
  MPI_Comm made = nullptr;
  how(parent, &made);
  here.keep(number, rank, made);
}
MPI_Group group_of(MPI_Comm parent, const std::vector<int>& members) {
  MPI_Group all = nullptr, some = nullptr;
  MPI_Comm_group(parent, &all);
  MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
  MPI_Group_free(&all);
  return some;
}

void duplicate(stage& here, orders_reader& words) { make(here, words, MPI_Comm_dup); }
void split(stage& here, orders_reader& words) {
  make(here, words, [&](MPI_Comm parent, MPI_Comm* made) {
    const int color = words.whole(), key = words.whole();
    MPI_Comm_split(parent, color, key, made);
  });
}
void create(stage& here, orders_reader& words) {
  make(here, words, [&](MPI_Comm parent, MPI_Comm* made) {
    MPI_Group members = group_of(parent, words.list());
    MPI_Comm_create(parent, members, made);
    MPI_Group_free(&members);
  });
}
void create_group(stage& here, orders_reader& words) {
  make(here, words, [&](MPI_Comm parent, MPI_Comm* made) {
    const int tag = words.whole();
    MPI_Group members = group_of(parent, words.list());
    MPI_Comm_create_group(parent, members, tag, made);
    MPI_Group_free(&members);
  });
}
void make_grid(stage& here, orders_reader& words) {
  make(here, words, [&](MPI_Comm parent, MPI_Comm* made) {
    const std::vector<int> extents = words.list(), periodic = words.list();
    MPI_Cart_create(parent, static_cast<int>(extents.size()), extents.data(), periodic.data(), 0,
                    made);
  });
}
void make_part_of_grid(stage& here, orders_reader& words) {
  make(here, words,
       [&](MPI_Comm parent, MPI_Comm* made) { MPI_Cart_sub(parent, words.list().data(), made); });
}
void free_communicator(stage& here, orders_reader& words) {
  const std::int64_t number = words.number();
  MPI_Comm freed = here.comm(number);
  MPI_Comm_free(&freed);
  here.forget_comm(number);
}

const std::unordered_map<std::string_view, order> orders{
    {"send", {subject::messages, send<MPI_Send>}},
    {"ssend", {subject::messages, send<MPI_Ssend>}},
    {"bsend", {subject::messages, send_buffered}},
    {"isend", {subject::messages, send_later<MPI_Isend>}},
    {"issend", {subject::messages, send_later<MPI_Issend>}},
    {"send_init", {subject::messages, send_later<MPI_Send_init>}},
    {"ssend_init", {subject::messages, send_later<MPI_Ssend_init>}},
    {"recv", {subject::messages, receive}},
    {"irecv", {subject::messages, receive_later<MPI_Irecv>}},
    {"recv_init", {subject::messages, receive_later<MPI_Recv_init>}},
    {"sendrecv", {subject::messages, send_and_receive}},
    {"probe", {subject::messages, probe}},
    {"start", {subject::messages, start}},
    {"wait", {subject::messages, wait}},
    {"free", {subject::messages, free_request}},
    {"dup", {subject::communicators, duplicate}},
    {"split", {subject::communicators, split}},
    {"create", {subject::communicators, create}},
    {"create_group", {subject::communicators, create_group}},
    {"cart", {subject::communicators, make_grid}},
    {"cart_sub", {subject::communicators, make_part_of_grid}},
    {"comm_free", {subject::communicators, free_communicator}},
};

}  // namespace

const order* order_named(std::string_view kind) {
  const auto found = orders.find(kind);
  return found == orders.end() ? collective_named(kind) : &found->second;
}

}  // namespace onehop::recorder
