#pragma once
#include "transport/base/transport.hpp"

namespace onehop::mpi {

/// Returns whether this MPI reports that it accepts addresses of CUDA memory, and in what words.
device_support query_device_support();

}  // namespace onehop::mpi
