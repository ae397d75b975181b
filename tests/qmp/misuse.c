/* Wrong calls, by name. */
#include "check.h"

static double data[4];

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "early") == 0) QMP_get_node_number();
  begin(&argc, &argv);
  QMP_msgmem_t m = QMP_declare_msgmem(data, sizeof data);
  if (strcmp(what, "node") == 0) QMP_declare_send_to(m, nodes, 0);
  if (strcmp(what, "grid") == 0) QMP_declare_send_relative(m, 0, 1, 0);
  const int dims[2] = {nodes, 1};
  QMP_declare_logical_topology(dims, 2);
  CHECK(QMP_declare_logical_topology((int[1]){nodes}, 1) == QMP_TOPOLOGY_EXISTS);
  CHECK(QMP_clear_to_send(NULL, QMP_CTS_READY) == QMP_NOTSUPPORTED);
  if (strcmp(what, "axis") == 0) QMP_declare_send_relative(m, 2, 1, 0);
  if (strcmp(what, "direction") == 0) QMP_declare_send_relative(m, 0, 0, 0);
  if (strcmp(what, "handle") == 0) QMP_start(NULL);
  if (strcmp(what, "nodes") == 0) {
    QMP_comm_t alone;
    QMP_comm_split(QMP_comm_get_default(), node, 0, &alone);
    QMP_comm_declare_logical_topology(alone, dims, 2);
  }
  if (strcmp(what, "pair") == 0) {
    QMP_msghandle_t one = QMP_declare_send_to(m, 0, 0);
    QMP_declare_multiple((QMP_msghandle_t[2]){one, one}, 2);
  }
  const int next = (node + 1) % nodes, before = (node + nodes - 1) % nodes;
  QMP_msghandle_t receive = QMP_declare_receive_from(m, before, 0);
  QMP_start(receive);
  if (strcmp(what, "twice") == 0) QMP_start(receive);
  if (strcmp(what, "free") == 0) QMP_free_msghandle(receive);
  if (strcmp(what, "never") == 0) QMP_wait(receive);
  static double large[100];
  QMP_msghandle_t send = QMP_declare_send_to(QMP_declare_msgmem(large, sizeof large), next, 0);
  QMP_start(send);
  QMP_wait(receive);
  QMP_wait(send);
  return 0;
}
