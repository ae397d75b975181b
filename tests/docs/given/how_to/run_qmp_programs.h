#include <qmp.h>

extern int X, Y, Z;
typedef struct {
  double values[4];
} site;
extern site* field;
extern QMP_msgmem_t ghosts;
