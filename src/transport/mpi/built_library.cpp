#include "transport/mpi/library.hpp"

namespace onehop::mpi {

const library& used_library() {
  static const library built{ONEHOP_MPI_NAME, ONEHOP_MPIRUN, {}};
  return built;
}

}  // namespace onehop::mpi
