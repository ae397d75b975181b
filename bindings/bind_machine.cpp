#include "bind.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <onehop/launch.hpp>
#include <onehop/machine.hpp>

namespace nb = nanobind;
using namespace nb::literals;

void bind_machine(nb::module_& m) {
  using onehop::machine_facts;
  nb::class_<machine_facts>(m, "MachineFacts", "What this machine has.")
      .def_ro("host", &machine_facts::host)
      .def_ro("cpu_model", &machine_facts::cpu_model)
      .def_ro("isa", &machine_facts::isa)
      .def_ro("usable_cores", &machine_facts::usable_cores)
      .def_ro("memory_bytes", &machine_facts::memory_bytes)
      .def_ro("shm_bytes", &machine_facts::shm_bytes)
      .def_ro("shm_free_bytes", &machine_facts::shm_free_bytes);
  m.def("inspect_machine", &onehop::inspect_machine);
  m.def("create_segment", &onehop::create_segment, "ranks"_a,
        "Descriptor of the shared memory of a job, for its ranks to inherit.");
  m.def("mark_failed", &onehop::mark_failed, "segment_fd"_a, "rank"_a, "reason"_a,
        "Makes every wait of every rank of the job fail with this reason.");
}
