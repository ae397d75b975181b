#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "bind_record.hpp"
#include "netsim/workload/traffic_run.hpp"
#include "owned_array.hpp"
#include "watched_run.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace onehop::netsim;

void bind_traffic(nb::module_& m) {
  nb::enum_<traffic_pattern>(m, "TrafficPattern")
      .value("uniform", traffic_pattern::uniform)
      .value("shift", traffic_pattern::shift)
      .value("bit_complement", traffic_pattern::bit_complement)
      .value("permutation", traffic_pattern::permutation)
      .value("adversarial", traffic_pattern::adversarial);
  using t = traffic;
  bind_record<t>(m, "Traffic",
                 "Messages of every node at random times; times in ps. A load of 1 keeps the first "
                 "link of a node busy all the time.",
                 record_field{"pattern", &t::pattern}, record_field{"distance", &t::distance},
                 record_field{"load", &t::load}, record_field{"bytes", &t::bytes},
                 record_field{"warm_up", &t::warm_up}, record_field{"window", &t::window},
                 record_field{"slices", &t::slices}, record_field{"seed", &t::seed},
                 record_field{"path", &t::path});
  using u = link_use;
  nb::class_<u>(m, "LinkUse",
                "Shares of a slice of time in which the links of one class were busy.")
      .def_ro("axis", &u::axis)
      .def_ro("mean", &u::mean)
      .def_ro("most", &u::most);
  using f = traffic_times;
  nb::class_<f>(m, "TrafficTimes", "Result of a network under random traffic.")
      .def_ro("offered", &f::offered)
      .def_ro("accepted", &f::accepted, "Load of the messages that arrived in the window.")
      .def_ro("is_saturated", &f::is_saturated,
              "True if some messages of the window had not arrived one window later.")
      .def_ro("made", &f::made)
      .def_prop_ro(
          "latencies_ps", [](const f& self) { return to_column(self.latencies); },
          nb::rv_policy::automatic,
          "Latency of each message of the window, counted from its creation.")
      .def_ro("use", &f::use, "Use of the links, by slice of time, then by class of links.")
      .def_ro("message_ps", &f::message, "Time that a message takes on a node's first link.")
      .def_ro("accounts", &f::network);
  nb::class_<traffic_run>(m, "TrafficRun", "Random traffic over one path of a machine.")
      .def(
          "__init__",
          [](traffic_run* self, const machine_description& machine, const traffic& what,
             const background& beside) {
            new (self) traffic_run(machine, what, queue_kind::ladder, beside);
          },
          "machine"_a, "traffic"_a, "beside"_a = background())
      .def_prop_ro("beside", &traffic_run::beside,
                   "Times of each job of the background, after a run.")
      .def("run", &run_watched<traffic_run>, "progress"_a = nb::none(),
           "Runs once, until the network is empty, and checks conservation. Calls `progress` from "
           "time to time with the virtual time and the number of messages delivered.");
}
