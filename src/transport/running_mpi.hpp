#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

/// A running_mpi is an MPI library that the program has initialised and not finalised.
struct running_mpi {
  std::string_view family;  ///< the module that fits it: "mpich", "openmpi" or "standard"
  std::string file;
};

/// Looks through the libraries that this process has loaded.
std::optional<running_mpi> find_running_mpi();

}  // namespace onehop
