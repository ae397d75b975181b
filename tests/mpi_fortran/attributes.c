/* What C finds of an attribute that Fortran has set, and sets for Fortran to find. */
#include <mpi.h>

MPI_Aint found_by_c_(const int* key) {
  MPI_Aint* value;
  int flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, *key, &value, &flag);
  return flag ? *value : -1;
}

MPI_Aint set_by_c_(const int* key) {
  static MPI_Aint value = 77;
  MPI_Comm_set_attr(MPI_COMM_WORLD, *key, &value);
  return (MPI_Aint)&value;
}
