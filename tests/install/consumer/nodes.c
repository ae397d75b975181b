#include <qmp.h>
#include <stdio.h>

int main(int argc, char** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);
  double sum = QMP_get_node_number() + 1;
  QMP_sum_double(&sum);
  if (QMP_is_primary_node()) printf("%d nodes, sum %g\n", QMP_get_number_of_nodes(), sum);
  QMP_finalize_msg_passing();
  return 0;
}
