#include "qmp/communicator.hpp"

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "qmp/process.hpp"

namespace onehop::qmp {

QMP_comm_struct& at(QMP_comm_t comm) {
  require(comm, "the communicator");
  return *comm;
}

void require_node(const QMP_comm_struct& comm, int node) {
  if (node < 0 || node >= comm.size)
    fail(text("node ", node, " is none of the communicator's ", comm.size, " nodes"));
}

void adopt(QMP_comm_struct& made, MPI_Comm given) {
  made.given = given;
  MPI_Comm_dup(given, &made.own);
  MPI_Comm_rank(given, &made.rank);
  MPI_Comm_size(given, &made.size);
}

void release(QMP_comm_struct& comm) {
  MPI_Comm_free(&comm.own);
  if (!comm.belongs_to_library) MPI_Comm_free(&comm.given);
}

namespace {

int count_colors(const QMP_comm_struct& whole, int color) {
  std::vector<int> all(static_cast<std::size_t>(whole.size));
  MPI_Allgather(&color, 1, MPI_INT, all.data(), 1, MPI_INT, whole.own);
  std::ranges::sort(all);
  return static_cast<int>(std::ranges::unique(all).begin() - all.begin());
}

QMP_status_t set(const char* function, QMP_comm_t process_state::*which, QMP_comm_t comm) {
  const call here(function);
  process().*which = &at(comm);
  return QMP_SUCCESS;
}

QMP_comm_t get(const char* function, QMP_comm_t process_state::*which) {
  const call here(function);
  return process().*which;
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_comm_t QMP_comm_get_allocated(void) {
  return get("QMP_comm_get_allocated", &process_state::allocated);
}
QMP_comm_t QMP_comm_get_job(void) { return get("QMP_comm_get_job", &process_state::job); }
QMP_comm_t QMP_comm_get_default(void) {
  return get("QMP_comm_get_default", &process_state::standard);
}
QMP_status_t QMP_comm_set_allocated(QMP_comm_t comm) {
  return set("QMP_comm_set_allocated", &process_state::allocated, comm);
}
QMP_status_t QMP_comm_set_job(QMP_comm_t comm) {
  return set("QMP_comm_set_job", &process_state::job, comm);
}
QMP_status_t QMP_comm_set_default(QMP_comm_t comm) {
  return set("QMP_comm_set_default", &process_state::standard, comm);
}

QMP_status_t QMP_comm_split(QMP_comm_t comm, int color, int key, QMP_comm_t* made) {
  const call here("QMP_comm_split");
  const QMP_comm_struct& whole = at(comm);
  require(made, "where the communicator is to be given");
  if (color < 0) fail(onehop::text("the color is ", color, ": give one from 0 on"));
  auto part = std::make_unique<QMP_comm_struct>();
  MPI_Comm given = nullptr;
  MPI_Comm_split(whole.own, color, key, &given);
  adopt(*part, given);
  part->colors = count_colors(whole, color);
  part->color = color;
  part->key = key;
  *made = part.release();
  return QMP_SUCCESS;
}

QMP_status_t QMP_comm_free(QMP_comm_t comm) {
  const call here("QMP_comm_free");
  if (at(comm).belongs_to_library) fail("the communicator is that of all nodes");
  process_state& all = process();
  for (QMP_comm_t* const used : {&all.allocated, &all.job, &all.standard})
    if (*used == comm) *used = &all.world;
  release(*comm);
  delete comm;
  return QMP_SUCCESS;
}

int QMP_comm_get_number_of_colors(QMP_comm_t comm) { return at(comm).colors; }
int QMP_comm_get_color(QMP_comm_t comm) { return at(comm).color; }
int QMP_comm_get_key(QMP_comm_t comm) { return at(comm).key; }

QMP_status_t QMP_get_mpi_comm(QMP_comm_t comm, void** mpi_comm) {
  const call here("QMP_get_mpi_comm");
  require(mpi_comm, "where the communicator is to be given");
  *mpi_comm = &at(comm).given;
  return QMP_SUCCESS;
}
QMP_status_t QMP_get_hidden_comm(QMP_comm_t comm, void** mpi_comm) {
  return QMP_get_mpi_comm(comm, mpi_comm);
}

int QMP_comm_get_number_of_nodes(QMP_comm_t comm) {
  const call here("QMP_comm_get_number_of_nodes");
  return at(comm).size;
}
ONEHOP_OF_DEFAULT(int, get_number_of_nodes, (void), (standard()))
int QMP_comm_get_node_number(QMP_comm_t comm) {
  const call here("QMP_comm_get_node_number");
  return at(comm).rank;
}
ONEHOP_OF_DEFAULT(int, get_node_number, (void), (standard()))
QMP_bool_t QMP_comm_is_primary_node(QMP_comm_t comm) {
  const call here("QMP_comm_is_primary_node");
  return at(comm).rank == 0 ? QMP_TRUE : QMP_FALSE;
}
ONEHOP_OF_DEFAULT(QMP_bool_t, is_primary_node, (void), (standard()))
}
