#pragma once
/// The library and a transport that is built apart from it know of each other by this header. MPI
/// is not everywhere, and each MPI needs a build of its own; so its transports lie in modules that
/// join loads on demand.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "transport/base/transport.hpp"

namespace onehop {

/// module_facts are what a module says of itself, readable before anything else is known to fit:
/// the layout of this struct does not change.
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
  /// The ranks are those of this communicator, by its number in Fortran; all processes without one.
  std::optional<int> communicator;
};

/// A module has these symbols of these types.
constexpr const char* module_facts_symbol = "onehop_module_facts";
constexpr const char* module_join_symbol = "onehop_module_join";
using module_join = void (*)(const module_request& request,
                             std::shared_ptr<onehop::transport>& joined);

}  // namespace onehop
