/* A check that fails ends the program with a line of its own. */
#include <qmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                                     \
  do {                                                                                  \
    if (!(what)) {                                                                      \
      fprintf(stderr, "%s:%d: node %d: not so: %s\n", __FILE__, __LINE__, node, #what); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

static int node, nodes;

static void begin(int* argc, char*** argv) {
  QMP_thread_level_t provided;
  QMP_init_msg_passing(argc, argv, QMP_THREAD_SINGLE, &provided);
  node = QMP_get_node_number();
  nodes = QMP_get_number_of_nodes();
}

static void end(void) {
  if (node == 0) printf("all is well\n");
  QMP_finalize_msg_passing();
}
