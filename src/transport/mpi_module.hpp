#pragma once
#include <memory>

#include "transport/module.hpp"

namespace onehop {

/// Joins over the module of the MPI that the program has initialised, of the MPI whose launcher
/// this is, or of any MPI. Throws usage_error if there is no module or it does not fit this library
/// or the program, and timeout_error if other ranks do not join before the deadline.
std::shared_ptr<onehop::transport> join_mpi(const module_request& request);

}  // namespace onehop
