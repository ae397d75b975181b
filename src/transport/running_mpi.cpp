#include "transport/running_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <vector>

namespace onehop {
namespace {

std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }

/// The libraries of MPIs are called libmpi.so, libmpi_abi.so, libmpich.so and the like.
int list_library(dl_phdr_info* loaded, std::size_t, void* list) {
  if (base_name(loaded->dlpi_name).starts_with("libmpi"))
    static_cast<std::vector<std::string>*>(list)->emplace_back(loaded->dlpi_name);
  return 0;
}

/// Whether this function of the library says yes; every MPI has it in the same form, and it may be
/// called at any time.
bool says(void* library, const char* question) {
  const auto call = reinterpret_cast<int (*)(int*)>(dlsym(library, question));
  int answer = 0;
  return call != nullptr && call(&answer) == 0 && answer != 0;
}

std::string_view family_of(void* library, std::string_view file) {
  if (base_name(file).starts_with("libmpi_abi.")) return "standard";
  return dlsym(library, "ompi_mpi_comm_world") != nullptr ? "openmpi" : "mpich";
}

std::optional<running_mpi> inspect(const std::string& name) {
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  std::optional<running_mpi> found;
  if (says(library, "MPI_Initialized") && !says(library, "MPI_Finalized")) {
    // Libraries of an MPI for other languages find its functions in the one that they need.
    Dl_info where{};
    const bool known = dladdr(dlsym(library, "MPI_Initialized"), &where) != 0;
    const std::string file = known ? where.dli_fname : name;
    found = running_mpi{family_of(library, file), file};
  }
  dlclose(library);
  return found;
}

}  // namespace

std::optional<running_mpi> find_running_mpi() {
  std::vector<std::string> names;
  dl_iterate_phdr(list_library, &names);
  for (const std::string& name : names)
    if (const auto found = inspect(name)) return found;
  return std::nullopt;
}

}  // namespace onehop
