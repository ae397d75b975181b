#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/error.hpp>

#include "benchmarks/make.hpp"
#include "benchmarks/virtual_steps.hpp"
#include "bind.hpp"
#include "bind_memories.hpp"
#include "netsim/workload/routes.hpp"
#include "transport/virtual/run.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using onehop::virtual_machine::ranks;
using release_gil = nb::call_guard<nb::gil_scoped_release>;

onehop::virtual_machine::machine machine_with(onehop::netsim::machine_description description,
                                              const std::string& memory, std::string variant) {
  const auto [sources, windows] = memories_named(memory);
  return {std::move(description), sources, std::move(variant), windows};
}

onehop::bench::outcome run_cell(const onehop::context& ctx, const onehop::bench::cell& what,
                                std::uint64_t steps, bool apart) {
  auto list = onehop::bench::make_contenders(ctx, what);
  return onehop::bench::time_virtual_steps(ctx, list, steps, apart);
}

onehop::netsim::collective_plan plan_of(const onehop::netsim::machine_description& machine,
                                        const std::string& memory, const std::string& variant,
                                        const std::string& operation, int ranks, int rank,
                                        std::size_t size_bytes, int root) {
  const auto [sources, windows] = memories_named(memory);
  const onehop::netsim::routes ways(machine, sources, windows, variant);
  return ways.plan_of(onehop::netsim::collective_named(operation), ranks, rank, size_bytes, root);
}

void bind_plans(nb::module_& m) {
  using onehop::netsim::collective_plan;
  using onehop::netsim::schedule_step;
  nb::class_<schedule_step>(m, "ScheduleStep",
                            "What a rank sends, and from whom it hears before its next step; -1 is "
                            "nobody. Or a copy of `bytes`.")
      .def_ro("to", &schedule_step::to)
      .def_ro("bytes", &schedule_step::bytes)
      .def_ro("sender", &schedule_step::from, "From whom it hears.")
      .def_ro("combines", &schedule_step::combines, "What is heard is summed to what is there.")
      .def_ro("heard", &schedule_step::heard, "Bytes.")
      .def_ro("blocks", &schedule_step::blocks,
              "The next step begins when what is sent may be overwritten.")
      .def_prop_ro(
          "copies",
          [](const schedule_step& s) {
            if (s.copies == schedule_step::copy::none) return "";
            return s.copies == schedule_step::copy::out ? "out" : "in";
          },
          "\"out\" to the host before the next step, \"in\" while the next go on, or \"\".");
  nb::class_<collective_plan>(m, "CollectivePlan", "What a rank of a machine does in a collective.")
      .def_ro("how", &collective_plan::how, "In words.")
      .def_ro("steps", &collective_plan::steps)
      .def_ro("by_hosts", &collective_plan::by_hosts, "Messages go between the hosts.")
      .def_ro("entry_ps", &collective_plan::entry, "Before the first step.");
  m.def("collective_plan", &plan_of, "machine"_a, "memory"_a, "variant"_a, "operation"_a, "ranks"_a,
        "rank"_a, "size_bytes"_a, "root"_a = 0,
        "What a rank does in a collective to which each brings `size_bytes`, to each rank in an "
        "alltoall.");
}

}  // namespace

void bind_virtual(nb::module_& m) {
  bind_plans(m);
  nb::class_<ranks>(m, "VirtualRanks",
                    "The ranks of a job on a virtual machine, each on a thread of its own that "
                    "calls enter, join, leave; one runs at a time.")
      .def(
          "__init__",
          [](ranks* self, int count, const onehop::netsim::machine_description& machine,
             const std::string& memory, const std::string& variant) {
            new (self) ranks(count, machine_with(machine, memory, variant));
          },
          "count"_a, "machine"_a, "memory"_a, "variant"_a)
      .def("begin", &ranks::begin, release_gil(), "Once every thread has been started.")
      .def("cancel", &ranks::cancel, release_gil(), "Where one could not be started.")
      .def("interrupt", &ranks::interrupt, "Ends every wait; may be called by any thread.")
      .def("enter", &ranks::enter, "rank"_a, release_gil(),
           "Waits for the first turn; False when there will be none.")
      .def("join", &ranks::join, "rank"_a)
      .def("stall", &ranks::stall, "rank"_a, "waited"_a)
      .def("fail", &ranks::fail, "rank"_a, "reason"_a)
      .def("leave", &ranks::leave, "rank"_a, release_gil())
      .def_prop_ro("deadlock", &ranks::deadlock)
      .def_prop_ro("now_us", &ranks::now_us);
  m.def("bench_virtual_cell", &run_cell, "context"_a, "cell"_a, "steps"_a, "apart"_a, release_gil(),
        "As bench_cell, in virtual time; collective.");
}
