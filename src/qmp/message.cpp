// Messages are declared once and started many times. MPI matches messages between two ranks of a
// communicator with one tag in the order of their starts, which is QMP's rule.

#include <span>
#include <vector>

#include "base/text.hpp"
#include "qmp/memory.hpp"
#include "qmp/process.hpp"

struct QMP_msghandle_struct {
  std::vector<QMP_msghandle_t> parts;  ///< the handles combined in a multiple handle
  bool belongs_to_another = false;
  bool is_started = false;

  bool sends = false;
  MPI_Comm comm = nullptr;
  int node = 0;
  MPI_Datatype type = nullptr;
  MPI_Request request = nullptr;

  bool is_several() const noexcept { return type == nullptr; }
};

namespace onehop::qmp {
namespace {

constexpr int message_tag = 0;

void make_request(QMP_msghandle_struct& one, void* address) {
  if (one.sends)
    MPI_Send_init(address, 1, one.type, one.node, message_tag, one.comm, &one.request);
  else
    MPI_Recv_init(address, 1, one.type, one.node, message_tag, one.comm, &one.request);
}

/// A copy of the type can outlive the message memory.
MPI_Datatype copy_of(MPI_Datatype type) {
  MPI_Datatype made = nullptr;
  MPI_Type_contiguous(1, type, &made);
  MPI_Type_commit(&made);
  return made;
}

QMP_msghandle_t declare(QMP_comm_t comm, QMP_msgmem_t m, int node, bool sends) {
  const QMP_comm_struct& where = at(comm);
  require(m, "the message memory");
  require_node(where, node);
  auto* const made = new QMP_msghandle_struct;
  made->sends = sends;
  made->comm = where.own;
  made->node = node;
  made->type = copy_of(m->type);
  make_request(*made, m->base);
  return made;
}

int neighbour(QMP_comm_t comm, int axis, int direction) {
  const grid& of = declared_grid(at(comm));
  if (axis < 0 || axis >= of.dimensions())
    fail(text("axis ", axis, " is none of the grid's ", of.dimensions()));
  if (direction != 1 && direction != -1)
    fail(text("the direction is ", direction, ": give 1 or -1"));
  std::vector<int> there = of.here;
  there[static_cast<std::size_t>(axis)] += direction;
  return of.node(there.data());
}

QMP_msghandle_struct& message(QMP_msghandle_t h) {
  require(h, "the message handle");
  return *h;
}

/// Returns the single messages of a handle that may be changed.
QMP_msghandle_struct& at_rest(QMP_msghandle_t h) {
  if (message(h).is_started)
    fail(text("the message ",
              h->is_several() ? "is"
              : h->sends      ? text("to node ", h->node, " is")
                              : text("from node ", h->node, " is"),
              " under way: call QMP_wait before"));
  return *h;
}

void start(QMP_msghandle_t h) {
  QMP_msghandle_struct& one = at_rest(h);
  if (!one.is_several()) MPI_Start(&one.request);
  for (const QMP_msghandle_t part : one.parts) start(part);
  one.is_started = true;
}

void wait(QMP_msghandle_struct& one) {
  if (!one.is_started) return;
  if (!one.is_several()) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  for (const QMP_msghandle_t part : one.parts) wait(*part);
  one.is_started = false;
}

bool test(QMP_msghandle_struct& one) {
  if (!one.is_started) return true;
  int done = 1;
  if (!one.is_several()) MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
  for (const QMP_msghandle_t part : one.parts) done &= static_cast<int>(test(*part));
  one.is_started = done == 0;
  return done != 0;
}

void change_address(QMP_msghandle_t h, void* address) {
  QMP_msghandle_struct& one = at_rest(h);
  if (one.is_several()) fail("the handle is of several: call QMP_change_address_multiple");
  require(address, "the memory");
  MPI_Request_free(&one.request);
  make_request(one, address);
}

void destroy(QMP_msghandle_t h) {
  QMP_msghandle_struct& one = at_rest(h);
  for (const QMP_msghandle_t part : one.parts) destroy(part);
  if (!one.is_several()) {
    MPI_Request_free(&one.request);
    MPI_Type_free(&one.type);
  }
  delete h;
}

std::span<const QMP_msghandle_t> handles(const QMP_msghandle_t* list, int count) {
  if (count < 0) fail(text("the number of messages is ", count));
  if (count > 0) require(list, "the list of messages");
  return {list, static_cast<std::size_t>(count)};
}

QMP_msghandle_t collect(const QMP_msghandle_t* list, int count) {
  const auto all = handles(list, count);
  for (const QMP_msghandle_t part : all) {
    if (at_rest(part).belongs_to_another) fail("a message belongs to another handle already");
    part->belongs_to_another = true;
  }
  auto* const made = new QMP_msghandle_struct;
  made->parts.assign(all.begin(), all.end());
  return made;
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_msghandle_t QMP_comm_declare_send_to(QMP_comm_t comm, QMP_msgmem_t m, int node, int) {
  const call here("QMP_comm_declare_send_to");
  return declare(comm, m, node, true);
}
ONEHOP_OF_DEFAULT(QMP_msghandle_t, declare_send_to, (QMP_msgmem_t m, int node, int priority),
                  (standard(), m, node, priority))
QMP_msghandle_t QMP_comm_declare_receive_from(QMP_comm_t comm, QMP_msgmem_t m, int node, int) {
  const call here("QMP_comm_declare_receive_from");
  return declare(comm, m, node, false);
}
ONEHOP_OF_DEFAULT(QMP_msghandle_t, declare_receive_from, (QMP_msgmem_t m, int node, int priority),
                  (standard(), m, node, priority))

QMP_msghandle_t QMP_comm_declare_send_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis, int dir,
                                               int) {
  const call here("QMP_comm_declare_send_relative");
  return declare(comm, m, neighbour(comm, axis, dir), true);
}
ONEHOP_OF_DEFAULT(QMP_msghandle_t, declare_send_relative,
                  (QMP_msgmem_t m, int axis, int dir, int priority),
                  (standard(), m, axis, dir, priority))
QMP_msghandle_t QMP_comm_declare_receive_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis,
                                                  int dir, int) {
  const call here("QMP_comm_declare_receive_relative");
  return declare(comm, m, neighbour(comm, axis, dir), false);
}
ONEHOP_OF_DEFAULT(QMP_msghandle_t, declare_receive_relative,
                  (QMP_msgmem_t m, int axis, int dir, int priority),
                  (standard(), m, axis, dir, priority))

QMP_msghandle_t QMP_declare_multiple(QMP_msghandle_t messages[], int num) {
  const call here("QMP_declare_multiple");
  return collect(messages, num);
}
QMP_msghandle_t QMP_declare_send_recv_pairs(QMP_msghandle_t messages[], int num) {
  const call here("QMP_declare_send_recv_pairs");
  return collect(messages, num);
}

QMP_status_t QMP_change_address(QMP_msghandle_t h, void* address) {
  const call here("QMP_change_address");
  change_address(h, address);
  return QMP_SUCCESS;
}
QMP_status_t QMP_change_address_multiple(QMP_msghandle_t h, void* addresses[], int num) {
  const call here("QMP_change_address_multiple");
  const std::vector<QMP_msghandle_t>& parts = at_rest(h).parts;
  if (num < 0 || parts.size() != static_cast<std::size_t>(num))
    fail(onehop::text("there are ", num, " addresses for ", parts.size(), " messages"));
  for (std::size_t n = 0; n < parts.size(); ++n) change_address(parts[n], addresses[n]);
  return QMP_SUCCESS;
}

void QMP_free_msghandle(QMP_msghandle_t h) {
  // A message that belongs to a multiple handle is freed with that handle.
  if (h == nullptr || h->belongs_to_another) return;
  const call here("QMP_free_msghandle");
  destroy(h);
}

QMP_status_t QMP_clear_to_send(QMP_msghandle_t, QMP_clear_to_send_t) { return QMP_NOTSUPPORTED; }

QMP_status_t QMP_start(QMP_msghandle_t h) {
  const call here("QMP_start");
  start(h);
  return QMP_SUCCESS;
}
QMP_status_t QMP_wait(QMP_msghandle_t h) {
  const call here("QMP_wait");
  const timed_wait time;
  wait(message(h));
  return QMP_SUCCESS;
}
QMP_status_t QMP_wait_all(QMP_msghandle_t h[], int num) {
  const call here("QMP_wait_all");
  const timed_wait time;
  for (const QMP_msghandle_t one : handles(h, num)) wait(message(one));
  return QMP_SUCCESS;
}
QMP_bool_t QMP_is_complete(QMP_msghandle_t h) {
  const call here("QMP_is_complete");
  return test(message(h)) ? QMP_TRUE : QMP_FALSE;
}
}
