#pragma once
/// What the library and a transport that is built apart from it know of each other. MPI is not
/// everywhere, and each MPI wants a build of its own; so its transports live in modules that join
/// loads when they are asked for.

#include <chrono>
#include <memory>
#include <string_view>

#include "transport/base/transport.hpp"

namespace onehop {

/// What a module says of itself, readable before anything else is known to fit: the layout of this
/// struct does not change.
struct module_facts {
  const char* interface;  ///< of the headers that library and module share; must be equal
  const char* version;    ///< of onehop
  const char* mpi;        ///< "MPICH 5.0.2"
  const char* launcher;   ///< path of the mpirun that belongs to it, empty when none was found
};

/// What a launcher tells its processes through their environment.
struct launcher_place {
  std::string_view launcher;  ///< "mpirun of Open MPI"
  int rank, size;
};

struct module_request {
  std::string_view transport;
  const launcher_place* place;        ///< null when no launcher is to be seen
  std::chrono::nanoseconds deadline;  ///< of what waits for the other ranks
};

/// The symbols of a module and their types.
constexpr const char* module_facts_symbol = "onehop_module_facts";
constexpr const char* module_join_symbol = "onehop_module_join";
using module_join = void (*)(const module_request& request,
                             std::shared_ptr<onehop::transport>& joined);

}  // namespace onehop
