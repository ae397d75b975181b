#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "bind.hpp"
#include "bind_memories.hpp"
#include "netsim/workload/collective_walk.hpp"
#include "netsim/workload/program_run.hpp"
#include "netsim/workload/transfer_run.hpp"
#include "owned_array.hpp"
#include "watched_run.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace onehop::netsim;

namespace {

void write_trace(const network& net, const std::string& name) {
  std::ofstream out(name, std::ios::binary);
  net.write_trace(out);
  out.close();
  if (!out) throw onehop::file_error(onehop::text(name, ": the trace could not be written"));
}

queue_kind queue_named(const std::string& name) {
  if (name == "ladder") return queue_kind::ladder;
  if (name == "heap") return queue_kind::heap;
  throw onehop::usage_error(onehop::text("scheduler ", name, ": choose ladder or heap"));
}

void bind_transfers(nb::module_& m) {
  nb::class_<transfer_run> type(m, "TransferRun",
                                "Transfers, each with what it waits for, between memories such as "
                                "\"device\" or \"device-host\", by the protocols of a variant.");
  type.def(
          "__init__",
          [](transfer_run* self, const machine_description& machine, const std::string& memory,
             const std::string& variant, const std::string& how) {
            const auto [sources, windows] = memories_named(memory);
            new (self) transfer_run(machine, {sources, windows, variant}, queue_named(how));
          },
          "machine"_a, "memory"_a, "variant"_a, "scheduler"_a = "ladder")
      .def(
          "add",
          [](transfer_run& self, int origin, int target, std::size_t size_bytes,
             std::vector<std::int64_t> after, picoseconds delay_ps, std::size_t pieces,
             bool first_of_chain, std::uint64_t address) {
            return self.add({origin, target, size_bytes, pieces, first_of_chain, address,
                             std::move(after), delay_ps});
          },
          "origin"_a, "target"_a, "size_bytes"_a, "after"_a = std::vector<std::int64_t>(),
          "delay_ps"_a = 0, "pieces"_a = 1, "first_of_chain"_a = true, "address"_a = 0,
          "Adds a transfer from rank to rank and returns its number. It begins `delay_ps` after "
          "all of `after`: k stands for the delivery of transfer k, ~k for its source being free. "
          "`pieces` is the number of rows of its source, `address` its address at the target, by "
          "which look-up tables go. Only the first of a chain pays the cost of starting the chain.")
      .def_prop_ro(
          "source_free_ps", [](const transfer_run& self) { return to_column(self.freed()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "delivered_ps", [](const transfer_run& self) { return to_column(self.arrived()); },
          nb::rv_policy::automatic);
  type.def(
      "run", &run_watched<transfer_run>, "progress"_a = nb::none(),
      "Runs to the end and checks conservation; returns the virtual time in ps. Calls `progress` "
      "from time to time with the virtual time and the number of messages delivered.");
}

using step_tuple = std::tuple<std::string, double>;
using face_tuple = std::tuple<std::array<std::int32_t, 4>, std::uint64_t, std::uint64_t>;

operation_step step_of(const step_tuple& described) {
  using step = operation_step;
  const auto& [kind, amount] = described;
  const auto whole = static_cast<std::int64_t>(amount);
  if (kind == "work") return {step::kind::work, whole, 0};
  if (kind == "pause") return {step::kind::pause, whole, 0};
  if (kind == "send") return {step::kind::send, 0, 0};
  if (kind == "await") return {step::kind::await, 0, 0};
  if (kind == "sum") return {step::kind::sum, 0, static_cast<std::uint64_t>(whole)};
  throw onehop::usage_error("a step of a program is work, pause, send, await or sum, not '" + kind +
                            "'");
}

program program_of(std::vector<std::uint32_t> grid, const std::vector<face_tuple>& faces,
                   const std::vector<step_tuple>& steps, std::uint32_t iterations) {
  program what{std::move(grid), {}, {}, iterations};
  for (const auto& [shift, bytes, address] : faces) what.faces.push_back({shift, bytes, address});
  for (const step_tuple& each : steps) what.steps.push_back(step_of(each));
  return what;
}

void bind_program(nb::module_& m) {
  nb::class_<program_times>(m, "ProgramTimes",
                            "Picoseconds of the slowest node, and how they were spent on average.")
      .def_ro("total_ps", &program_times::total)
      .def_ro("work_ps", &program_times::work_ps)
      .def_ro("halo_wait_ps", &program_times::halo_wait_ps)
      .def_ro("sum_ps", &program_times::sum_ps)
      .def_ro("messages", &program_times::messages)
      .def_ro("iterations", &program_times::iterations, "Iterations that every node has done.")
      .def_prop_ro("packet_hops",
                   [](const program_times& t) { return t.network.account.packet_hops; })
      .def_prop_ro("events", [](const program_times& t) { return t.network.account.events; })
      .def_ro("accounts", &program_times::network);
  nb::class_<background>(
      m, "Background",
      "Jobs that run beside a measured job, on the same machine, until that job has ended.")
      .def(nb::init<>())
      .def(
          "add_job",
          [](background& self, const std::string& memory, const std::string& variant,
             std::vector<std::uint32_t> grid, const std::vector<face_tuple>& faces,
             const std::vector<step_tuple>& steps, std::vector<std::uint32_t> places) {
            const auto [sources, windows] = memories_named(memory);
            self.jobs.push_back({sources, windows, variant,
                                 program_of(std::move(grid), faces, steps, 1), std::move(places)});
          },
          "memory"_a, "variant"_a, "grid"_a, "faces"_a, "steps"_a, "places"_a,
          "Adds a program as for ProgramRun, with rank r on node places[r]; its iterations repeat.")
      .def(
          "add_traffic",
          [](background& self, const traffic& what) { self.traffics.push_back(what); }, "traffic"_a,
          "Adds traffic without a window.");
  nb::class_<program_run>(
      m, "ProgramRun",
      "The schedule of a program on every node of a machine, without data. `faces` are (shift "
      "along each axis, bytes, address at the target) to the neighbours, in pairs of opposite "
      "shifts. The steps of an iteration are ('work', ps), which takes longer on a slow node, "
      "('pause', ps), ('send', 0), ('await', 0) and ('sum', bytes).")
      .def(
          "__init__",
          [](program_run* self, const machine_description& machine, const std::string& memory,
             const std::string& variant, std::vector<std::uint32_t> grid,
             const std::vector<face_tuple>& faces, const std::vector<step_tuple>& steps,
             std::uint32_t iterations, const std::string& how, const background& beside) {
            const auto [sources, windows] = memories_named(memory);
            new (self) program_run(machine, {sources, windows, variant},
                                   program_of(std::move(grid), faces, steps, iterations),
                                   queue_named(how), beside);
          },
          "machine"_a, "memory"_a, "variant"_a, "grid"_a, "faces"_a, "steps"_a, "iterations"_a = 1,
          "scheduler"_a = "ladder", "beside"_a = background())
      .def("run", &run_watched<program_run>, "progress"_a = nb::none(),
           "Runs once, to the end, and checks conservation. Calls `progress` from time to time "
           "with the virtual time and the number of messages delivered.")
      .def_prop_ro("beside", &program_run::beside,
                   "Times of each job of the background, after a run.")
      .def_prop_ro("face_messages", &program_run::face_messages,
                   "Number of messages of all exchanges, including control messages.")
      .def_prop_ro(
          "finished_ps", [](const program_run& self) { return to_column(self.finished()); },
          nb::rv_policy::automatic, "Time at which each node finished.")
      .def("record_trace", [](program_run& self) { self.net().record_trace(); })
      .def(
          "write_trace",
          [](const program_run& self, const std::string& name) { write_trace(self.net(), name); },
          "name"_a, "Writes Chrome trace events, for ui.perfetto.dev.");
}

collective_plan plan_of(const machine_description& machine, const std::string& memory,
                        const std::string& variant, const std::string& operation, int ranks,
                        int rank, std::size_t size_bytes, int root) {
  const auto [sources, windows] = memories_named(memory);
  const routes ways(machine, sources, windows, variant);
  return ways.plan_of(collective_named(operation), ranks, rank, size_bytes, root);
}

void bind_plans(nb::module_& m) {
  nb::class_<schedule_step>(m, "ScheduleStep",
                            "What a rank sends, and from whom it receives before its next step; -1 "
                            "is no rank. Or a copy of `bytes`.")
      .def_ro("to", &schedule_step::to)
      .def_ro("bytes", &schedule_step::bytes)
      .def_ro("sender", &schedule_step::from, "Rank from which it receives.")
      .def_ro("combines", &schedule_step::combines,
              "True if what is received is added to the data that is there.")
      .def_ro("heard", &schedule_step::heard, "Number of bytes received.")
      .def_ro("blocks", &schedule_step::blocks,
              "True if the next step begins only when what is sent may be overwritten.")
      .def_ro("awaits_source", &schedule_step::awaits_source,
              "As blocks, and also for what is sent without a handshake.")
      .def_prop_ro(
          "copies",
          [](const schedule_step& s) {
            if (s.copies == schedule_step::copy::none) return "";
            return s.copies == schedule_step::copy::out ? "out" : "in";
          },
          "\"out\" to the host before the next step, \"in\" while the next steps run, or \"\".");
  nb::class_<collective_plan>(m, "CollectivePlan",
                              "The steps of one rank of a machine in a collective.")
      .def_ro("how", &collective_plan::how, "The algorithm, as text.")
      .def_ro("steps", &collective_plan::steps)
      .def_ro("by_hosts", &collective_plan::by_hosts, "True if messages go between the hosts.")
      .def_ro("entry_ps", &collective_plan::entry, "Time before the first step.")
      .def_ro("copy_out", &collective_plan::copy_out,
              "Number of the path for copies to the host that are not short; -1 if there is none.")
      .def_ro("copy_in", &collective_plan::copy_in, "As copy_out, for copies to the device.");
  m.def("collective_plan", &plan_of, "machine"_a, "memory"_a, "variant"_a, "operation"_a, "ranks"_a,
        "rank"_a, "size_bytes"_a, "root"_a = 0,
        "Returns the steps of a rank in a collective to which each rank contributes `size_bytes`, "
        "for each rank in an alltoall.");
  m.def(
      "collective_ps",
      [](const machine_description& machine, const std::string& memory, const std::string& variant,
         const std::string& operation, int ranks, std::size_t size_bytes) {
        const auto [sources, windows] = memories_named(memory);
        return collective_time(machine, {sources, windows, variant}, collective_named(operation),
                               ranks, size_bytes);
      },
      "machine"_a, "memory"_a, "variant"_a, "operation"_a, "ranks"_a, "size_bytes"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "Returns how long a collective takes until every rank has finished, on a machine that has "
      "just done the same; sizes and names as for collective_plan.");
}

}  // namespace

void bind_workload(nb::module_& m) {
  bind_transfers(m);
  bind_program(m);
  bind_plans(m);
}
