#pragma once
#include <memory>

#include "transport/module.hpp"

namespace onehop {

/// Joins over the module of the MPI that the program has initialised, or whose launcher this is, or
/// of any MPI. Throws usage_error when no module is there or it does not fit this library or the
/// program, timeout_error when other ranks do not join before the deadline.
std::shared_ptr<onehop::transport> join_mpi(const module_request& request);

}  // namespace onehop
