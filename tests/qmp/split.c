/* A part of the nodes has numbers, a grid, messages and sums of its own, and a communicator of MPI.
 */
#include "check.h"

/* The two functions of MPI that are called here, by its standard ABI. */
int MPI_Comm_size(void* comm, int* size);
int MPI_Comm_rank(void* comm, int* rank);

int main(int argc, char** argv) {
  begin(&argc, &argv);
  /* Even and odd nodes, each part in the opposite order. */
  QMP_comm_t part;
  CHECK(QMP_comm_split(QMP_comm_get_default(), node % 2, -node, &part) == QMP_SUCCESS);
  const int size = (nodes + 1 - node % 2) / 2, mine = size - 1 - node / 2;
  CHECK(QMP_comm_get_number_of_nodes(part) == size && QMP_comm_get_node_number(part) == mine);
  CHECK(QMP_comm_get_number_of_colors(part) == (nodes > 1 ? 2 : 1));
  CHECK(QMP_comm_get_color(part) == node % 2 && QMP_comm_get_key(part) == -node);

  int sum = node;
  QMP_comm_sum_int(part, &sum);
  CHECK(sum == size * (size - 1) + size * (node % 2));
  CHECK(QMP_comm_declare_logical_topology(part, &size, 1) == QMP_SUCCESS);
  CHECK(QMP_logical_topology_is_declared() == QMP_FALSE);

  QMP_comm_t all = QMP_comm_get_default();
  QMP_comm_set_default(part);
  int sent = 100 * (node % 2) + mine, got = -1;
  QMP_msgmem_t out = QMP_declare_msgmem(&sent, sizeof sent),
               in = QMP_declare_msgmem(&got, sizeof got);
  QMP_msghandle_t pair[2] = {QMP_declare_receive_relative(in, 0, -1, 0),
                             QMP_declare_send_relative(out, 0, 1, 0)};
  QMP_msghandle_t both = QMP_declare_send_recv_pairs(pair, 2);
  QMP_start(both);
  QMP_wait(both);
  CHECK(got == 100 * (node % 2) + (mine + size - 1) % size);
  CHECK(QMP_get_node_number() == mine);
  QMP_free_msghandle(both);
  QMP_free_msgmem(out);
  QMP_free_msgmem(in);

  void* comm;
  int seen;
  CHECK(QMP_get_mpi_comm(part, &comm) == QMP_SUCCESS);
  MPI_Comm_size(*(void**)comm, &seen);
  CHECK(seen == size);
  MPI_Comm_rank(*(void**)comm, &seen);
  CHECK(seen == mine);
  QMP_comm_free(part);
  CHECK(QMP_comm_get_default() == all && QMP_get_node_number() == node);
  end();
  return 0;
}
