#pragma once
/// Through this header, the library and a separately built transport know each other. MPI is not
/// available everywhere, and each MPI needs its own build. The MPI transports are therefore modules
/// that join loads on demand.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "transport/base/transport.hpp"

namespace onehop {

/// A module_facts describes a module. It must be readable before anything else is known to match,
/// so the layout of this struct never changes.
struct module_facts {
  const char* interface;  ///< interface of the headers that library and module share; must be equal
  const char* version;    ///< version of onehop
  const char* mpi;        ///< name and version of the MPI: "MPICH 5.0.2"
  const char* launcher;   ///< path of the mpirun that belongs to it, empty when none was found
};

/// A launcher_place is what a launcher tells its processes through their environment.
struct launcher_place {
  std::string_view launcher;  ///< name of the launcher: "mpirun of Open MPI"
  int rank, size;
};

struct module_request {
  std::string_view transport;
  const launcher_place* place;        ///< what the launcher told, null when there is none
  std::chrono::nanoseconds deadline;  ///< longest time to wait for the other ranks
  /// The ranks are those of this communicator, given by its Fortran handle, or else all processes.
  std::optional<int> communicator;
};

/// A module has these symbols of these types.
constexpr const char* module_facts_symbol = "onehop_module_facts";
constexpr const char* module_join_symbol = "onehop_module_join";
using module_join = void (*)(const module_request& request,
                             std::shared_ptr<onehop::transport>& joined);

}  // namespace onehop
