#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/error.hpp>

#include "bind.hpp"
#include "bind_memories.hpp"
#include "machine/instruction_counter.hpp"
#include "transport/virtual/processes/run.hpp"
#include "transport/virtual/run.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using onehop::virtual_machine::compute_mode;
using onehop::virtual_machine::computing;
using onehop::virtual_machine::process_conductor;
using onehop::virtual_machine::ranks;

onehop::virtual_machine::machine machine_with(onehop::netsim::machine_description description,
                                              const std::string& memory, std::string variant) {
  const auto [sources, windows] = memories_named(memory);
  return {std::move(description), sources, std::move(variant), windows};
}

compute_mode mode_named(const std::string& name) {
  if (name == "none") return compute_mode::none;
  if (name == "declared") return compute_mode::declared;
  if (name == "measured") return compute_mode::measured;
  if (name == "recorded") return compute_mode::recorded;
  if (name == "counted") return compute_mode::counted;
  throw onehop::usage_error("compute mode '" + name +
                            "' is not known: use none, declared, measured, recorded or counted");
}

void bind_conductor(nb::module_& m) {
  nb::class_<process_conductor>(
      m, "VirtualConductor",
      "The conductor of a virtual machine whose ranks are processes that inherit its segment. Only "
      "run blocks; any thread may make the other calls meanwhile.")
      .def(
          "__init__",
          [](process_conductor* self, int count, const onehop::netsim::machine_description& machine,
             const std::string& memory, const std::string& variant, const std::string& compute,
             double rate, bool record) {
            computing how(mode_named(compute), rate);
            how.is_written = record;
            new (self) process_conductor(count, machine_with(machine, memory, variant), how);
          },
          "count"_a, "machine"_a, "memory"_a, "variant"_a, "compute"_a, "rate"_a, "record"_a)
      .def_prop_ro("segment", &process_conductor::segment, "Descriptor of the shared memory.")
      .def("run", &process_conductor::run, release_gil(),
           "Serves the ranks until all have left or the job has failed.")
      .def("ended", &process_conductor::ended, "rank"_a,
           "Declares that the process of this rank has ended.")
      .def("fail", &process_conductor::fail, "rank"_a, "reason"_a,
           "Makes every wait of every rank fail with this reason.")
      .def("stall", &process_conductor::stall,
           "Declares that a rank ended because its wait could not succeed; the other ranks then "
           "say whom they wait for.")
      .def("waited", &process_conductor::waited, "rank"_a,
           "Returns what the rank last waited for without success; empty if there is nothing.")
      .def_prop_ro("deadlock", &process_conductor::deadlock)
      .def("stop", &process_conductor::stop, "Makes run return, for a job that has failed.")
      .def_prop_ro(
          "accounts",
          [](const process_conductor& self) {
            return onehop::virtual_machine::accounts_of(self.owned());
          },
          "What the machine has done, once run has returned.");
}

}  // namespace

void bind_virtual(nb::module_& m) {
  m.def("instruction_counter_problem", &onehop::instruction_counter_problem,
        "Returns why the instructions of this thread cannot be counted here; empty if they can.");
  bind_conductor(m);
  nb::class_<ranks>(m, "VirtualRanks",
                    "The ranks of a job on a virtual machine. Each has its own thread, which calls "
                    "enter, join and leave; one rank runs at a time.")
      .def(
          "__init__",
          [](ranks* self, int count, const onehop::netsim::machine_description& machine,
             const std::string& memory, const std::string& variant) {
            new (self) ranks(count, machine_with(machine, memory, variant));
          },
          "count"_a, "machine"_a, "memory"_a, "variant"_a)
      .def("begin", &ranks::begin, release_gil(), "Call it once every thread has been started.")
      .def("cancel", &ranks::cancel, release_gil(), "Call it if a thread could not be started.")
      .def("interrupt", &ranks::interrupt, "Ends every wait; any thread may call it.")
      .def("enter", &ranks::enter, "rank"_a, release_gil(),
           "Waits for the first turn; returns False if there will be none.")
      .def("join", &ranks::join, "rank"_a)
      .def("stall", &ranks::stall, "rank"_a, "waited"_a)
      .def("fail", &ranks::fail, "rank"_a, "reason"_a)
      .def("leave", &ranks::leave, "rank"_a, release_gil())
      .def_prop_ro("deadlock", &ranks::deadlock)
      .def_prop_ro("now_us", &ranks::now_us);
}
