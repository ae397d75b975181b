/* Global sums, extrema, broadcasts and reductions are those of the nodes' values in their order. */
#include "check.h"

/* A product of 2x2 matrices depends on the order of its factors. */
static void multiply(void* inout, void* in) {
  long *a = inout, *b = in;
  const long made[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
  memcpy(inout, made, sizeof made);
}

static void sums(void) {
  const int all = nodes * (nodes + 1) / 2;
  int i = node + 1;
  uint64_t u = (uint64_t)(node + 1) << 40;
  float f = (float)(node + 1);
  double d = node + 1, e = node == 0 ? 1 : 0x1p-60;
  long double l = node + 1;
  CHECK(QMP_sum_int(&i) == QMP_SUCCESS && i == all);
  CHECK(QMP_sum_uint64_t(&u) == QMP_SUCCESS && u == (uint64_t)all << 40);
  CHECK(QMP_sum_float(&f) == QMP_SUCCESS && f == (float)all);
  CHECK(QMP_sum_double(&d) == QMP_SUCCESS && d == all);
  CHECK(QMP_sum_long_double(&l) == QMP_SUCCESS && l == all);
  CHECK(QMP_sum_double_extended(&e) == QMP_SUCCESS && e == 1);

  float fs[3];
  double ds[1000];
  long double ls[2];
  for (int n = 0; n < 3; ++n) fs[n] = (float)(n * (node + 1));
  for (int n = 0; n < 1000; ++n) ds[n] = n * (node + 1);
  for (int n = 0; n < 2; ++n) ls[n] = n * (node + 1);
  CHECK(QMP_sum_float_array(fs, 3) == QMP_SUCCESS && fs[2] == 2.0f * (float)all);
  CHECK(QMP_sum_double_array(ds, 1000) == QMP_SUCCESS && ds[999] == 999.0 * all && ds[0] == 0);
  CHECK(QMP_sum_long_double_array(ls, 2) == QMP_SUCCESS && ls[1] == all);
  CHECK(QMP_sum_double_array(NULL, 0) == QMP_SUCCESS);
}

static void extrema(void) {
  float f = (float)-node, g = (float)-node;
  double d = node, e = node;
  unsigned long x = 1ul << node;
  QMP_max_float(&f);
  QMP_min_float(&g);
  QMP_max_double(&d);
  QMP_min_double(&e);
  QMP_xor_ulong(&x);
  CHECK(f == 0 && g == (float)(1 - nodes) && d == nodes - 1 && e == 0 && x == (1ul << nodes) - 1);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sums();
  extrema();

  long matrix[4] = {1, node + 1, node, 1}, expected[4] = {1, 0, 0, 1};
  for (int n = 0; n < nodes; ++n) multiply(expected, (long[4]){1, n + 1, n, 1});
  CHECK(QMP_binary_reduction(matrix, sizeof matrix, multiply) == QMP_SUCCESS);
  CHECK(memcmp(matrix, expected, sizeof matrix) == 0);

  static char text[50000];
  memset(text, node == 0 ? 'q' : '-', sizeof text);
  CHECK(QMP_broadcast(text, sizeof text) == QMP_SUCCESS);
  for (size_t n = 0; n < sizeof text; ++n) CHECK(text[n] == 'q');

  char sent[64], received[64];
  for (int n = 0; n < nodes; ++n) sent[n] = (char)(10 * node + n);
  CHECK(QMP_comm_alltoall(QMP_comm_get_default(), received, sent, 1) == QMP_SUCCESS);
  for (int n = 0; n < nodes; ++n) CHECK(received[n] == 10 * n + node);
  CHECK(QMP_barrier() == QMP_SUCCESS);
  CHECK(QMP_get_total_qmp_time() >= 0);
  end();
  return 0;
}
