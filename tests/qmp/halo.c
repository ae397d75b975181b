/* The faces of a lattice in four dimensions go to the neighbours of a torus of nodes, straight from
 * where they lie in the field, and come where they belong beside it. */
#include "check.h"

enum { D = 4 };
static const int extents[D] = {4, 6, 2, 4};
static int sites = 1, here[D];

/* The value of a site of the whole lattice, which no other site has. */
static double value(const int at[D], int round) {
  double sum = round;
  for (int mu = 0; mu < D; ++mu) {
    const int whole = extents[mu] * QMP_get_logical_dimensions()[mu];
    sum = sum * 64 + (at[mu] % whole + whole) % whole;
  }
  return sum;
}

/* Calls a function of every site, in the order in which they lie in memory. */
static void each_site(void (*call)(const int x[D], int index, void* with), void* with) {
  int x[D];
  for (int i = 0; i < sites; ++i) {
    for (int mu = 0, left = i; mu < D; left /= extents[mu++]) x[mu] = left % extents[mu];
    call(x, i, with);
  }
}

struct field {
  double* sites;
  double* ghosts[D][2]; /* what comes from behind and from before, as it lies in the face */
  int round;
};

static void set(const int x[D], int index, void* with) {
  struct field* f = with;
  int at[D];
  for (int mu = 0; mu < D; ++mu) at[mu] = here[mu] * extents[mu] + x[mu];
  f->sites[index] = value(at, f->round);
}

static void check_ghosts(const int x[D], int index, void* with) {
  struct field* f = with;
  (void)index;
  for (int mu = 0; mu < D; ++mu)
    for (int up = 0; up < 2; ++up) {
      if (x[mu] != (up ? extents[mu] - 1 : 0)) continue;
      int at[D], place = 0, stride = 1;
      for (int nu = 0; nu < D; ++nu) {
        at[nu] = here[nu] * extents[nu] + x[nu];
        if (nu == mu) continue;
        place += x[nu] * stride;
        stride *= extents[nu];
      }
      at[mu] += up ? 1 : -1;
      CHECK(f->ghosts[mu][up][place] == value(at, f->round));
    }
}

/* The face at the upper or the lower end of an axis: rows that lie as far apart as the axis runs.
 */
static QMP_msgmem_t face(double* field, int mu, int up) {
  int below = 1, above = 1;
  for (int nu = 0; nu < mu; ++nu) below *= extents[nu];
  for (int nu = mu + 1; nu < D; ++nu) above *= extents[nu];
  double* first = field + (up ? extents[mu] - 1 : 0) * below;
  return QMP_declare_strided_msgmem(first, (size_t)below * sizeof(double), above,
                                    (ptrdiff_t)(below * extents[mu]) * (ptrdiff_t)sizeof(double));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int dims[D] = {nodes % 2 ? nodes : nodes / 2, nodes % 2 ? 1 : 2, 1, 1};
  CHECK(QMP_declare_logical_topology(dims, D) == QMP_SUCCESS);
  memcpy(here, QMP_get_logical_coordinates(), sizeof here);
  CHECK(QMP_get_node_number_from(here) == node);
  for (int mu = 0; mu < D; ++mu) sites *= extents[mu];

  struct field f;
  QMP_mem_t* memory = QMP_allocate_aligned_memory((size_t)sites * sizeof(double), 128,
                                                  QMP_MEM_COMMS | QMP_MEM_FAST);
  f.sites = QMP_get_memory_pointer(memory);
  CHECK((size_t)f.sites % 128 == 0);

  QMP_msghandle_t all[4 * D];
  QMP_msgmem_t memories[4 * D];
  QMP_mem_t* ghosts[2 * D];
  int count = 0;
  for (int mu = 0; mu < D; ++mu)
    for (int up = 0; up < 2; ++up) {
      const size_t bytes = (size_t)(sites / extents[mu]) * sizeof(double);
      ghosts[2 * mu + up] = QMP_allocate_memory(bytes);
      f.ghosts[mu][up] = QMP_get_memory_pointer(ghosts[2 * mu + up]);
      /* What comes from one side is what its neighbour sends to the other. */
      memories[count] = QMP_declare_msgmem(f.ghosts[mu][up], bytes);
      all[count] = QMP_declare_receive_relative(memories[count], mu, up ? 1 : -1, 0);
      ++count;
      memories[count] = face(f.sites, mu, !up);
      all[count] = QMP_declare_send_relative(memories[count], mu, up ? -1 : 1, 0);
      ++count;
    }
  QMP_msghandle_t exchange = QMP_declare_multiple(all, count);
  for (int i = 0; i < count; ++i) QMP_free_msgmem(memories[i]);

  for (f.round = 1; f.round <= 3; ++f.round) {
    each_site(set, &f);
    CHECK(QMP_start(exchange) == QMP_SUCCESS);
    CHECK(QMP_wait(exchange) == QMP_SUCCESS);
    each_site(check_ghosts, &f);
  }
  QMP_free_msghandle(exchange);
  for (int i = 0; i < 2 * D; ++i) QMP_free_memory(ghosts[i]);
  QMP_free_memory(memory);
  end();
  return 0;
}
