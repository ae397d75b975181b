/* Half a round trip of a declared message, in microseconds, by its size. */
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static char data[1 << 20];
  for (int n = 1; n < argc && node < 2; ++n) {
    const size_t bytes = (size_t)atol(argv[n]);
    QMP_msgmem_t m = QMP_declare_msgmem(data, bytes);
    QMP_msghandle_t send = QMP_declare_send_to(m, 1 - node, 0);
    QMP_msghandle_t receive = QMP_declare_receive_from(m, 1 - node, 0);
    const int repeats = 10;
    double begun = 0;
    for (int i = -1; i < repeats; ++i) {
      if (i == 0) begun = QMP_time();
      for (int turn = 0; turn < 2; ++turn) {
        QMP_msghandle_t mine = turn == node ? send : receive;
        QMP_start(mine);
        QMP_wait(mine);
      }
    }
    if (node == 0) printf("%zu %.6f\n", bytes, (QMP_time() - begun) * 5e5 / repeats);
    QMP_free_msghandle(send);
    QMP_free_msghandle(receive);
    QMP_free_msgmem(m);
  }
  QMP_finalize_msg_passing();
  return 0;
}
