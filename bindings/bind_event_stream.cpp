#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <event_stream/trigger_run.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bind_apps.hpp"
#include "bind_record.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// This namespace separates the bindings of several applications, which may be compiled together.
namespace event_stream {
namespace {

run_report run_event_stream(const onehop::context& job, stream_settings settings,
                            const std::string& arrivals, const std::string& hits,
                            const std::string& wire) {
  settings.arrivals = arrival_pattern_named(arrivals);
  settings.hits = hit_pattern_named(hits);
  return run_trigger(job, settings, wire_named(wire));
}

std::vector<std::uint64_t> event_times(const std::string& pattern, double events_per_s,
                                       std::uint64_t seed, std::size_t count) {
  arrivals moments(arrival_pattern_named(pattern), events_per_s, seed);
  std::vector<std::uint64_t> times(count);
  for (std::uint64_t& time : times) time = moments.next();
  return times;
}

std::vector<std::pair<double, std::uint64_t>> histogram_of(const run_report& self) {
  std::vector<std::pair<double, std::uint64_t>> found;
  for (const auto& [end_ns, count] : self.decisions.latencies.buckets())
    found.emplace_back(static_cast<double>(end_ns) * 1e-3, count);
  return found;
}

void bind_settings(nb::module_& m) {
  using s = stream_settings;
  bind_record(m, "EventStreamSettings", "The parameters of a run of an event stream.",
              record_field{"sources", &s::sources}, record_field{"consumers", &s::consumers},
              record_field{"events_per_s", &s::events_per_s}, record_field{"seconds", &s::seconds},
              record_field{"deadline_us", &s::deadline_us},
              record_field{"payload_bytes", &s::payload_bytes},
              record_field{"datagram_bytes", &s::datagram_bytes},
              record_field{"gather_us", &s::gather_us}, record_field{"buffers", &s::buffers},
              record_field{"batch", &s::batch}, record_field{"service_us", &s::service_us},
              record_field{"stall_ms", &s::stall_ms}, record_field{"by_load", &s::by_load},
              record_field{"seed", &s::seed});
}

}  // namespace
}  // namespace event_stream

void bind_event_stream(nb::module_& m) {
  using namespace event_stream;
  bind_settings(m);
  using r = run_report;
  nb::class_<r>(m, "EventStreamReport", "Result of an event stream; complete at rank 0.")
      .def_ro("events", &r::events)
      .def_ro("decided", &r::decided,
              "Number of events whose decision came back to the first source.")
      .def_ro("fragments_sent", &r::fragments_sent)
      .def_ro("fragments_taken", &r::fragments_taken)
      .def_ro("bytes", &r::bytes, "Bytes of the fragments that consumers took.")
      .def_ro("time_s", &r::time_s, "Time from the beginning to the last decision.")
      .def_ro("back_pressure_s", &r::back_pressure_s,
              "Back pressure at the source that had most of it.")
      .def_ro("waited_us", &r::waited_us,
              "Mean time from the time stamp to the beginning of a batch.")
      .def_ro("kernel_buffer_bytes", &r::kernel_buffer_bytes,
              "Smallest socket buffer of a consumer, in bytes, with wire udp.")
      .def_prop_ro("damaged", [](const r& self) { return self.faults.damaged; })
      .def_prop_ro("out_of_order",
                   [](const r& self) { return self.faults.out_of_order + self.decisions.repeated; })
      .def_prop_ro("unlike", [](const r& self) { return self.faults.unlike; })
      .def_prop_ro("rings", [](const r& self) { return self.trigger.rings; })
      .def_prop_ro("kept_rings", [](const r& self) { return self.trigger.kept_rings; })
      .def_prop_ro("kept_noise", [](const r& self) { return self.trigger.kept_noise; })
      .def_prop_ro("true_rings", [](const r& self) { return self.trigger.true_rings; })
      .def_prop_ro("found_rings", [](const r& self) { return self.trigger.found_rings; })
      .def_prop_ro("false_rings", [](const r& self) { return self.trigger.false_rings; })
      .def_prop_ro("fitted", [](const r& self) { return self.trigger.fitted; })
      .def_prop_ro(
          "pulls", [](const r& self) { return self.trigger.pulls; },
          "Sums of (found - true) / error of centre x, y and radius.")
      .def_prop_ro("pull_squares", [](const r& self) { return self.trigger.pull_squares; })
      .def_prop_ro("deadline_misses", [](const r& self) { return self.decisions.misses; })
      .def_prop_ro("mean_us",
                   [](const r& self) { return self.decisions.latencies.mean_ns() * 1e-3; })
      .def_prop_ro("most_us",
                   [](const r& self) {
                     return static_cast<double>(self.decisions.latencies.most_ns()) * 1e-3;
                   })
      .def(
          "percentile_us",
          [](const r& self, double share) {
            return static_cast<double>(self.decisions.latencies.percentile_ns(share)) * 1e-3;
          },
          "share"_a, "Returns the latency that this share of the decisions does not exceed.")
      .def_prop_ro("histogram", &histogram_of,
                   "Pairs (end in us, number of decisions) of the histogram's buckets.");
  m.attr("events_of_table") = event_table::size;
  m.def("run_event_stream", &run_event_stream, "context"_a, "settings"_a, "arrivals"_a, "hits"_a,
        "wire"_a, release_gil(), "Passes events from sources to consumers. Collective.");
  m.def("event_times", &event_times, "pattern"_a, "events_per_s"_a, "seed"_a, "count"_a,
        "Returns when the first events of a stream happen, in nanoseconds from its beginning.");
}
