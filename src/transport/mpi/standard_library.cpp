#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/text.hpp"
#include "transport/mpi/library.hpp"

namespace onehop::mpi {
namespace {

namespace fs = std::filesystem;

/// Returns the file whose functions this module calls.
fs::path file_of_mpi() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &found) == 0) return {};
  return found.dli_fname;
}

/// Returns "MPICH 5.0.2" from "MPICH Version:      5.0.2" and further lines about how it was built.
std::string name_of_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int length = 0;
  if (MPI_Get_library_version(words.data(), &length) != MPI_SUCCESS) return "MPI";
  const std::string_view all(words.data());
  std::istringstream line(std::string(all.substr(0, all.find_first_of(",\n"))));
  std::string name;
  for (std::string word; line >> word;)
    if (word != "Version:") name += (name.empty() ? "" : " ") + word;
  return name;
}

/// Returns the mpiexec of the folder in which the library was installed.
std::string launcher_of(const fs::path& library) {
  for (fs::path folder = library.parent_path().parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const fs::path mpiexec = folder / "bin" / "mpiexec";
    if (access(mpiexec.c_str(), X_OK) == 0) return mpiexec;
    if (folder.filename() != "lib" && folder.filename() != "lib64") break;
  }
  return {};
}

/// A program that was linked with an MPI brings that MPI's functions. They are found before those
/// of the standard ABI, and take different arguments.
std::string problem_of(const fs::path& file, std::string_view name) {
  if (!file.filename().string().starts_with("libmpi_abi."))
    return text("this program was linked with ", file.string(),
                ", an MPI without the standard ABI");
  if (name.starts_with("onehop"))
    return text(file.string(), " is onehop's own MPI, on which the MPI transports do not run");
  return {};
}

library find_library() {
  const fs::path file = file_of_mpi();
  const std::string name = name_of_mpi();
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  return {name, launcher_of(real), problem_of(file, name)};
}

}  // namespace

const library& used_library() {
  static const library found = find_library();
  return found;
}

}  // namespace onehop::mpi
