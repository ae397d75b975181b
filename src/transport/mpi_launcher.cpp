#include "transport/mpi_launcher.hpp"

#include <cstdlib>
#include <onehop/launch.hpp>

#include "base/words.hpp"

namespace onehop {
namespace {

struct launcher_variables {
  std::string_view launcher;
  const char *rank, *size;
};

/// Open MPI's launcher also sets the variables of PMIx. Slurm's variables are those of a step,
/// because a batch script by itself is not a rank.
constexpr launcher_variables open_mpi{"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_SIZE"};
constexpr launcher_variables mpich{"mpirun of MPICH", "PMI_RANK", "PMI_SIZE"};
constexpr launcher_variables slurm{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"};

std::optional<int> number(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : number_from<int>(value);
}

std::optional<launcher_place> place_by(const launcher_variables& known) {
  const auto rank = number(known.rank), size = number(known.size);
  if (!rank || !size || *rank < 0 || *rank >= *size) return std::nullopt;
  return launcher_place{known.launcher, *rank, *size};
}

}  // namespace

std::optional<launcher_place> find_mpi_launcher() {
  if (std::getenv("ONEHOP_RANK") != nullptr) return std::nullopt;
  if (const auto place = place_by(open_mpi)) return place;
  const auto pmi = place_by(mpich), step = place_by(slurm);
  // srun --mpi=pmi2 sets both. Within an allocation, mpirun uses srun to start one helper of its
  // own on each machine. The helper's children then inherit the variables that Slurm set for the
  // helper.
  if (pmi && !(step && step->rank == pmi->rank && step->size == pmi->size)) return pmi;
  return step;
}

std::optional<mpi_place> launched_by_mpi() {
  const auto found = find_mpi_launcher();
  if (!found) return std::nullopt;
  return mpi_place{found->rank, found->size};
}

}  // namespace onehop
