#pragma once
/// A library is the MPI below a module. It is known when the module is built, or found at loading.

#include <string>

namespace onehop::mpi {

struct library {
  std::string name;      ///< "MPICH 5.0.2"
  std::string launcher;  ///< path of the mpirun that belongs to it, empty when none was found
  std::string problem;   ///< why onehop cannot run over it, empty when it can
};

const library& used_library();

}  // namespace onehop::mpi
