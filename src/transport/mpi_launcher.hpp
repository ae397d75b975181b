#pragma once
#include <optional>

#include "transport/module.hpp"

namespace onehop {

/// Finds in the environment the MPI launcher that started this process; none inside onehop run.
std::optional<launcher_place> find_mpi_launcher();

}  // namespace onehop
