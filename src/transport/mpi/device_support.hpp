#pragma once
#include "transport/base/transport.hpp"

namespace onehop::mpi {

/// Returns whether this MPI takes addresses of CUDA memory, as it says itself, and in what words.
device_support query_device_support();

}  // namespace onehop::mpi
