#include "mpi/unsupported.hpp"

#include <cstdio>
#include <utility>

#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {

int refuse(const char* function, bool& told) noexcept {
  const running_function alone;
  if (std::exchange(told, true)) return err_unsupported_operation;
  const process_state& here = state();
  std::fprintf(stderr,
               "onehop: rank %d: %s is not in onehop's MPI and returns "
               "MPI_ERR_UNSUPPORTED_OPERATION\n",
               here.world ? here.world->rank() : 0, function);
  return err_unsupported_operation;
}

}  // namespace onehop::mpi_abi
