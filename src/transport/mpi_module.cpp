#include "transport/mpi_module.hpp"

#include <dlfcn.h>
#include <link.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <onehop/error.hpp>
#include <onehop/launch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "machine/module_file.hpp"

namespace onehop {
namespace {

/// A running_mpi is an MPI library that the program has initialised and not finalised.
struct running_mpi {
  std::string_view family;  ///< the module that fits it: "mpich", "openmpi" or "standard"
  std::string file;
};

std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }

/// Libraries of MPI have names like libmpi.so, libmpi_abi.so and libmpich.so.
int list_library(dl_phdr_info* loaded, std::size_t, void* list) {
  if (base_name(loaded->dlpi_name).starts_with("libmpi"))
    static_cast<std::vector<std::string>*>(list)->emplace_back(loaded->dlpi_name);
  return 0;
}

/// Returns the answer of this function of the library. Every MPI has it in the same form, and it
/// may be called at any time.
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
    // If this is an MPI's library for another language, the functions lie in the library that it
    // needs.
    Dl_info where{};
    const bool known = dladdr(dlsym(library, "MPI_Initialized"), &where) != 0;
    const std::string file = known ? where.dli_fname : name;
    found = running_mpi{family_of(library, file), file};
  }
  dlclose(library);
  return found;
}

/// Looks through the libraries that this process has loaded.
std::optional<running_mpi> find_running_mpi() {
  std::vector<std::string> names;
  dl_iterate_phdr(list_library, &names);
  for (const std::string& name : names)
    if (const auto found = inspect(name)) return found;
  return std::nullopt;
}

/// The last module fits every MPI with the ABI of MPI 5.0, and finds that MPI when it is loaded.
constexpr std::array<std::string_view, 3> families{"mpich", "openmpi", "standard"};
constexpr std::string_view standard_library = "libmpi_abi.so.1";

struct loaded_module {
  void* handle = nullptr;
  const module_facts* facts = nullptr;
  std::string problem;  ///< why there is no module; empty when there is one
};

std::string file_name(std::string_view family) { return text("libonehop_mpi_", family, ".so"); }

/// Returns why the loaded file cannot be used; empty if it can.
std::string misfit(std::string_view family, const module_facts* facts) {
  if (facts == nullptr) return file_name(family) + " is not a module of onehop";
  if (std::string_view(facts->interface) == ONEHOP_MODULE_INTERFACE) return {};
  return text(file_name(family), " belongs to onehop ", facts->version,
              " as built elsewhere, this is onehop ", ONEHOP_VERSION);
}

loaded_module load(std::string_view family) {
  const module_file file = open_module(file_name(family));
  loaded_module result{file.handle, nullptr, file.problem};
  if (result.problem.starts_with(text(standard_library, ": cannot open"))) {
    result.problem = text(
        "no MPI of the standard ABI is here: pip install mpich, or name the "
        "folder of its ",
        standard_library, " in LD_LIBRARY_PATH");
    return result;
  }
  if (result.handle != nullptr) {
    result.facts = static_cast<const module_facts*>(find_symbol(file, module_facts_symbol));
    result.problem = misfit(family, result.facts);
  }
  if (!result.problem.empty())
    result.problem += "; install onehop again where its MPI is, or correct ONEHOP_MODULE_PATH";
  return result;
}

std::string_view wanted_family(const launcher_place* place) {
  if (place != nullptr && place->launcher.find("Open MPI") != std::string_view::npos)
    return "openmpi";
  // srun --mpi=pmix sets these variables, which Open MPI needs.
  const bool pmix = std::getenv("PMIX_RANK") != nullptr && std::getenv("PMI_RANK") == nullptr;
  return pmix ? "openmpi" : "mpich";
}

loaded_module load_best(const launcher_place* place) {
  const std::string_view wanted = wanted_family(place);
  // If the launcher belongs to another MPI, the module says so and gives the line to type.
  const std::string_view other = wanted == families[0] ? families[1] : families[0];
  const loaded_module own = load(wanted);
  if (own.handle != nullptr || !own.problem.empty()) return own;
  const loaded_module standard = load(families[2]);
  if (standard.handle != nullptr && standard.problem.empty()) return standard;
  const loaded_module last = load(other);
  return last.handle != nullptr || !last.problem.empty() ? last : standard;
}

/// Handles of one MPI have no meaning in another one.
loaded_module load_for(const running_mpi& running) {
  loaded_module found = load(running.family);
  if (found.handle == nullptr && found.problem.empty())
    found.problem =
        text("this program runs over ", running.file, ", for which ", file_name(running.family),
             " is not there; install onehop again where the compiler wrapper of that MPI is found, "
             "or compile the program for the standard ABI (mpicxx_abi)");
  return found;
}

loaded_module choose(const module_request& request) {
  if (const auto running = find_running_mpi()) return load_for(*running);
  if (request.communicator)
    throw usage_error(
        "join of a communicator in a process whose MPI is not initialised, or finalised: call it "
        "between MPI_Init and MPI_Finalize");
  return load_best(request.place);
}

}  // namespace

std::shared_ptr<onehop::transport> join_mpi(const module_request& request) {
  const loaded_module found = choose(request);
  const std::string_view transport = request.transport;
  if (!found.problem.empty()) throw usage_error(text("transport ", transport, ": ", found.problem));
  if (found.handle == nullptr)
    throw usage_error(text("transport ", transport, " is not built: neither ",
                           file_name(families[0]), " nor ", file_name(families[2]),
                           " is there; install onehop again without ONEHOP_MPI=OFF"));
  const auto join_symbol = reinterpret_cast<module_join>(dlsym(found.handle, module_join_symbol));
  std::shared_ptr<onehop::transport> joined;
  join_symbol(request, joined);
  return joined;
}

std::vector<mpi_installation> mpi_installations() {
  std::vector<mpi_installation> found;
  for (const std::string_view family : families) {
    const loaded_module module = load(family);
    if (module.facts != nullptr && module.problem.empty())
      found.push_back({module.facts->mpi, module.facts->launcher, {}});
    else if (!module.problem.empty() && (found.empty() || family != families[2]))
      found.push_back({std::string(family), {}, module.problem});
  }
  return found;
}

}  // namespace onehop
