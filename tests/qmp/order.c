/* The k-th start of a send meets the k-th start of a receive, whatever was declared first. */
#include "check.h"

enum { LONG = 300000 };
static double out[3][LONG], in[3][LONG];

static QMP_msghandle_t send_to(int to, void* data, size_t bytes) {
  QMP_msgmem_t m = QMP_declare_msgmem(data, bytes);
  QMP_msghandle_t h = QMP_declare_send_to(m, to, 0);
  QMP_free_msgmem(m);
  return h;
}
static QMP_msghandle_t receive_from(int from, void* data, size_t bytes) {
  QMP_msgmem_t m = QMP_declare_msgmem(data, bytes);
  QMP_msghandle_t h = QMP_declare_receive_from(m, from, 0);
  QMP_free_msgmem(m);
  return h;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int next = (node + 1) % nodes, before = (node + nodes - 1) % nodes;
  /* A short, a long and an empty message, declared in this order. The receives have more room. */
  const size_t bytes[3] = {64, sizeof out[1], 0};
  QMP_msghandle_t sends[3], receives[3];
  for (int n = 0; n < 3; ++n) {
    for (int i = 0; i < LONG; ++i) out[n][i] = 1000 * node + n + i;
    sends[n] = send_to(next, out[n], bytes[n]);
    receives[n] = receive_from(before, in[n], sizeof in[n]);
  }
  /* Sends start 2, 1, 0 and receives 1, 0, 2: receive 1 gets the empty message, 0 the long one. */
  for (int round = 0; round < 2; ++round) {
    memset(in, 0, sizeof in);
    const int s[3] = {2, 1, 0}, r[3] = {1, 0, 2};
    for (int n = 0; n < 3; ++n) {
      QMP_start(receives[r[n]]);
      QMP_start(sends[s[n]]);
    }
    while (!QMP_is_complete(receives[0])) {
    }
    CHECK(QMP_wait_all(receives, 3) == QMP_SUCCESS && QMP_wait_all(sends, 3) == QMP_SUCCESS);
    CHECK(in[1][0] == 0);
    CHECK(in[0][0] == 1000 * before + 1 && in[0][LONG - 1] == 1000 * before + LONG);
    CHECK(in[2][7] == 1000 * before + 7 && in[2][8] == 0);
  }
  /* The same message from another address. */
  QMP_msghandle_t two[2] = {sends[0], receives[0]};
  QMP_msghandle_t both = QMP_declare_multiple(two, 2);
  void* addresses[2] = {out[1], in[2]};
  CHECK(QMP_change_address_multiple(both, addresses, 2) == QMP_SUCCESS);
  QMP_start(both);
  QMP_wait(both);
  CHECK(in[2][0] == 1000 * before + 1);

  /* Blocks lie from another address on as they lay before. */
  double from[6] = {0, 1, 2, 10, 11, 12}, to[2] = {-1, -1};
  QMP_msgmem_t strided = QMP_declare_strided_msgmem(from, sizeof *from, 2, 2 * sizeof *from);
  QMP_msghandle_t part = QMP_declare_send_to(strided, node, 0),
                  got = receive_from(node, to, sizeof to);
  CHECK(QMP_change_address(part, from + 3) == QMP_SUCCESS);
  QMP_start(got);
  QMP_start(part);
  QMP_wait(got);
  QMP_wait(part);
  CHECK(to[0] == 10 && to[1] == 12);
  QMP_free_msgmem(strided);
  QMP_free_msghandle(part);
  QMP_free_msghandle(got);

  /* A node sends to itself. */
  double mine = node, copy = -1;
  QMP_msghandle_t self[2] = {send_to(node, &mine, sizeof mine),
                             receive_from(node, &copy, sizeof copy)};
  QMP_start(self[0]);
  QMP_start(self[1]);
  QMP_wait(self[1]);
  QMP_wait(self[0]);
  CHECK(copy == node);

  QMP_free_msghandle(both);
  for (int n = 1; n < 3; ++n) {
    QMP_free_msghandle(sends[n]);
    QMP_free_msghandle(receives[n]);
  }
  QMP_free_msghandle(self[0]);
  QMP_free_msghandle(self[1]);
  end();
  return 0;
}
