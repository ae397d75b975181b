#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "benchmarks/device_rate.hpp"
#include "benchmarks/hop_tuning.hpp"
#include "benchmarks/interleave.hpp"
#include "benchmarks/machine_rate.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/operator_rate.hpp"
#include "benchmarks/traced_steps.hpp"
#include "benchmarks/virtual_steps.hpp"
#include "release_gil.hpp"
#include "trace_events.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using onehop::bench::cell;
using onehop::bench::outcome;
using onehop::bench::schedule;
using onehop::bench::series;
using onehop::measure::microseconds;

microseconds from_seconds(double seconds) { return microseconds(seconds * 1e6); }

using onehop::bench::peers;

peers connect(const onehop::context& ctx, const std::vector<std::array<std::string, 2>>& places) {
  peers list;
  for (const auto& [name, folder] : places)
    list.all.push_back(std::make_unique<onehop::bench::peer>(name, folder, ctx.rank()));
  return list;
}

outcome run_cell(const onehop::context& ctx, const cell& what, const schedule& how,
                 const peers& others) {
  auto list = onehop::bench::make_contenders(ctx, what, others);
  outcome found = onehop::bench::interleave(ctx, list, how);
  list.clear();
  for (const auto& other : others.all) other->drop();
  return found;
}

std::pair<std::vector<event_tuple>, std::uint64_t> trace_cell(const onehop::context& ctx,
                                                              const cell& what,
                                                              std::uint64_t steps) {
  const auto recorder = onehop::bench::record_steps(ctx, what, steps);
  return {tuples_of(*recorder), recorder->dropped()};
}

void bind_cell(nb::module_& m) {
  nb::class_<cell>(m, "BenchCell", "What is measured for one line of a table.")
      .def(nb::init<>())
      .def_rw("pattern", &cell::pattern)
      .def_rw("face_bytes", &cell::face_bytes)
      .def_rw("channels", &cell::channels)
      .def_rw("messages", &cell::messages)
      .def_rw("schedule", &cell::schedule)
      .def_rw("fast_order", &cell::fast_order)
      .def_rw("packed", &cell::packed)
      .def_rw("early_beside", &cell::early_beside)
      .def_rw("check_inside", &cell::check_inside)
      .def_rw("rows", &cell::rows)
      .def_rw("against_hand", &cell::against_hand)
      .def_rw("methods", &cell::methods)
      .def_rw("channel", &cell::channel)
      .def_rw("channels_beside", &cell::channels_beside)
      .def_rw("source_on_device", &cell::source_on_device)
      .def_rw("window_on_device", &cell::window_on_device)
      .def_rw("share_device", &cell::share_device)
      .def_rw("rotate_bytes", &cell::rotate_bytes)
      .def_prop_ro("turns", &cell::turns);
  nb::class_<schedule>(m, "BenchSchedule", "Says when a measurement ends; times in seconds.")
      .def(
          "__init__",
          [](schedule* self, double min_time_s, double max_time_s, double spread,
             double block_time_s, std::uint64_t steps, std::uint64_t warmup) {
            new (self) schedule{{from_seconds(min_time_s), from_seconds(max_time_s), spread},
                                from_seconds(block_time_s),
                                steps,
                                warmup};
          },
          "min_time_s"_a, "max_time_s"_a, "spread"_a, "block_time_s"_a, "steps"_a, "warmup"_a);
}

void bind_outcome(nb::module_& m) {
  nb::class_<series>(m, "BenchSeries", "The blocks of one contender: microseconds per step.")
      .def_ro("name", &series::name)
      .def_ro("family", &series::family)
      .def_ro("channel", &series::channel)
      .def_ro("steps", &series::steps)
      .def_ro("bytes", &series::bytes)
      .def_ro("hops", &series::hops)
      .def_ro("us", &series::us)
      .def_ro("wrong", &series::wrong)
      .def_ro("dropped", &series::dropped);
  nb::class_<outcome>(m, "BenchOutcome")
      .def_ro("all", &outcome::all)
      .def_prop_ro("disturbed",
                   [](const outcome& o) {
                     return std::vector<bool>(o.disturbed.begin(), o.disturbed.end());
                   })
      .def_ro("met", &outcome::met)
      .def_ro("why", &outcome::why)
      .def_ro("line_latency_ns", &outcome::line_latency_ns);
  nb::class_<peers>(m, "BenchPeers", "Programs that do the same steps with other libraries.")
      .def(
          "__init__",
          [](peers* self, const onehop::context& ctx,
             const std::vector<std::array<std::string, 2>>& places) {
            new (self) peers(connect(ctx, places));
          },
          "context"_a, "places"_a,
          "Connects to the peers, given by name and folder; all ranks connect.")
      .def_prop_ro(
          "failures",
          [](const peers& p) {
            std::vector<std::string> lines;
            for (const auto& one : p.all)
              if (!one->failure().empty())
                lines.push_back(one->name() + " left out: " + one->failure());
            return lines;
          },
          "Returns the peers that have failed, and why, as this rank saw it.")
      .def("close", [](peers& p) { p.all.clear(); });
  m.def("bench_cell", &run_cell, "context"_a, "cell"_a, "schedule"_a, "peers"_a, release_gil(),
        "Measures one cell; collective.");
  m.def("trace_cell", &trace_cell, "context"_a, "cell"_a, "steps"_a, release_gil(),
        "Returns what this rank did in some steps of a cell, as Context.trace_events, and how many "
        "events did not fit; collective.");
}

onehop::bench::operator_rate run_operator_cell(const onehop::geometry& geometry,
                                               const onehop::bench::operator_cell& what,
                                               const schedule& how) {
  return onehop::bench::measure_operator(geometry, what, how.stop);
}

void bind_operator_rate(nb::module_& m) {
  using onehop::bench::operator_cell, onehop::bench::operator_rate;
  nb::class_<operator_cell, onehop::solve_options>(
      m, "OperatorCell", "An operator, or CG with it, that is to be measured.")
      .def(
          "__init__",
          [](operator_cell* self, const onehop::dirac_operator& dirac,
             const onehop::solve_options& options) {
            new (self) operator_cell{options};
            self->dirac = dirac;
            if (self->rhs == 0) self->rhs = 1;
          },
          "operator"_a, "options"_a)
      .def_rw("iterations", &operator_cell::iterations)
      .def_rw("first_core", &operator_cell::first_core);
  using onehop::bench::work_split;
  nb::class_<work_split>(m, "WorkSplit", "Seconds of an iteration and of its parts.")
      .def_ro("whole", &work_split::whole)
      .def_ro("operators", &work_split::operators)
      .def_ro("faces", &work_split::faces)
      .def_ro("reductions", &work_split::reductions)
      .def_ro("vectors", &work_split::vectors);
  nb::class_<operator_rate>(m, "OperatorRate", "Samples of all ranks together.")
      .def_ro("kernels", &operator_rate::kernels)
      .def_ro("gflops", &operator_rate::gflops)
      .def_ro("fma_gflops", &operator_rate::fma_gflops)
      .def_ro("memory_gbs", &operator_rate::memory_gbs)
      .def_ro("splits", &operator_rate::splits)
      .def_ro("flops_per_site", &operator_rate::flops_per_site)
      .def_ro("bytes_per_site", &operator_rate::bytes_per_site)
      .def_ro("working_set_bytes", &operator_rate::working_set_bytes)
      .def_ro("error", &operator_rate::error)
      .def_ro("error_limit", &operator_rate::error_limit);
  m.def("measure_operator", &run_operator_cell, "geometry"_a, "cell"_a, "schedule"_a, release_gil(),
        "Measures one cell; collective.");
}

void bind_blocks(nb::module_& m) {
  using onehop::bench::tuned_block, onehop::bench::tuned_device;
  nb::class_<tuned_block>(m, "TunedBlock", "Threads per block of one kernel.")
      .def_ro("kernel", &tuned_block::kernel)
      .def_ro("threads", &tuned_block::threads, "The chosen number.")
      .def_ro("times", &tuned_block::times, "Seconds of a launch, by number of threads.");
  nb::class_<tuned_device>(m, "TunedDevice", "The results for a device.")
      .def_ro("device", &tuned_device::device)
      .def_ro("words", &tuned_device::words, "Settings that differ from the standard.")
      .def_ro("blocks", &tuned_device::blocks);
  m.def("tune_device", &onehop::bench::tune_device, "geometry"_a, "cell"_a, "rounds"_a,
        release_gil(), "Measures every kernel in blocks of each shape.");
}

void bind_hops(nb::module_& m) {
  using onehop::bench::hop_tuner, onehop::bench::operator_cell;
  nb::class_<hop_tuner>(m, "HopTuner", "One hop that can be done in several ways; collective.")
      .def(nb::init<const onehop::geometry&, const operator_cell&>(), "geometry"_a, "cell"_a,
           release_gil())
      .def_prop_ro("name", &hop_tuner::name)
      .def("seconds", &hop_tuner::seconds, "words"_a, "count"_a, release_gil(),
           "Returns the mean time of `count` hops on the slowest rank.")
      .def("same_bits", &hop_tuner::same_bits, "words"_a, release_gil(),
           "Returns whether a hop done in this way gives the same bits as any other.");
}

outcome run_virtual_cell(const onehop::context& ctx, const cell& what, std::uint64_t steps,
                         bool apart) {
  auto list = onehop::bench::make_contenders(ctx, what);
  return onehop::bench::time_virtual_steps(ctx, list, steps, apart);
}

}  // namespace

NB_MODULE(_bench, m) {
  m.doc() = "What `onehop bench` and `onehop tune` run; types of onehop._core come with it.";
  nb::module_::import_("onehop._core");
  bind_cell(m);
  bind_outcome(m);
  bind_operator_rate(m);
  bind_blocks(m);
  bind_hops(m);
  m.def("core_gflops", &onehop::bench::core_gflops, release_gil(),
        "Returns how many multiplications and additions in double precision this thread's core "
        "does per ns.");
  m.def("bench_virtual_cell", &run_virtual_cell, "context"_a, "cell"_a, "steps"_a, "apart"_a,
        release_gil(), "Measures as bench_cell does, in virtual time; collective.");
}
