#include "bind.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <onehop/launch.hpp>
#include <onehop/machine.hpp>

#include "base/environment.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_machine(nb::module_& m) {
  using onehop::machine_facts;
  nb::class_<machine_facts>(m, "MachineFacts", "Description of this machine.")
      .def_ro("host", &machine_facts::host)
      .def_ro("cpu_model", &machine_facts::cpu_model)
      .def_ro("isa", &machine_facts::isa)
      .def_ro("usable_cores", &machine_facts::usable_cores)
      .def_ro("memory_bytes", &machine_facts::memory_bytes)
      .def_ro("shm_bytes", &machine_facts::shm_bytes)
      .def_ro("shm_free_bytes", &machine_facts::shm_free_bytes);
  m.def("inspect_machine", &onehop::inspect_machine);
  using onehop::mpi_installation;
  nb::class_<mpi_installation>(m, "MpiInstallation",
                               "An MPI for which a module was built, or that was found.")
      .def_ro("name", &mpi_installation::name)
      .def_ro("launcher", &mpi_installation::launcher)
      .def_ro("problem", &mpi_installation::problem);
  m.def("mpi_installations", &onehop::mpi_installations,
        "Describes all modules that are found, the preferred one first.");
  m.def(
      "launched_by_mpi",
      []() -> std::optional<std::pair<int, int>> {
        const auto place = onehop::launched_by_mpi();
        if (!place) return std::nullopt;
        return std::pair(place->rank, place->size);
      },
      "Returns the rank and size that mpirun or srun gave this process; None without one.");
  m.def(
      "environment_variables",
      [] {
        std::vector<std::tuple<std::string, std::string, std::string, std::string>> all;
        for (const auto& [name, unit, usual, help] : onehop::known_environment())
          all.emplace_back(name, unit, usual, help);
        return all;
      },
      "Returns name, unit, default and help of each environment variable that onehop reads.");
  m.def("create_segment", &onehop::create_segment, "ranks"_a,
        "Returns the descriptor of the shared memory of a job, which its ranks inherit.");
  m.def("mark_failed", &onehop::mark_failed, "segment_fd"_a, "rank"_a, "reason"_a,
        "Makes every wait of every rank of the job fail with this reason.");
}
