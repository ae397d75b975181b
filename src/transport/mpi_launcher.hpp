#pragma once
#include <optional>

#include "transport/module.hpp"

namespace onehop {

/// Finds the MPI launcher that started this process, as its environment tells; none inside onehop
/// run.
std::optional<launcher_place> find_mpi_launcher();

}  // namespace onehop
