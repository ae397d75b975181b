#include "transport/mpi_launcher.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <onehop/launch.hpp>
#include <string_view>

namespace onehop {
namespace {

struct launcher_variables {
  std::string_view launcher;
  const char *rank, *size;
};

/// Open MPI's also sets those of PMIx. Slurm's are those of a step: a batch script by itself is no
/// rank of anything.
constexpr std::array<launcher_variables, 3> launchers{{
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"mpirun of MPICH", "PMI_RANK", "PMI_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
}};

std::optional<int> number(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  int result = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<launcher_place> find_mpi_launcher() {
  if (std::getenv("ONEHOP_RANK") != nullptr) return std::nullopt;
  for (const launcher_variables& known : launchers) {
    const auto rank = number(known.rank), size = number(known.size);
    if (rank && size && *rank >= 0 && *rank < *size)
      return launcher_place{known.launcher, *rank, *size};
  }
  return std::nullopt;
}

std::optional<mpi_place> launched_by_mpi() {
  const auto found = find_mpi_launcher();
  if (!found) return std::nullopt;
  return mpi_place{found->rank, found->size};
}

}  // namespace onehop
