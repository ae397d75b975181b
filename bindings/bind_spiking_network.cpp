#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <spiking_network/simulation.hpp>

#include <memory>
#include <string>
#include <vector>

#include "bind_apps.hpp"
#include "owned_array.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using spike_array = nb::ndarray<nb::numpy, std::uint32_t, nb::shape<-1, 2>, nb::c_contig>;

}  // namespace

// This namespace separates the bindings of several applications, which may be compiled together.
namespace spiking_network {
namespace {

std::unique_ptr<simulation> make_spiking_network(const onehop::context& job,
                                                 const std::vector<int>& grid,
                                                 const network_settings& how, int first_ms,
                                                 bool keeps_spikes) {
  check(how);
  const std::vector<int> columns{static_cast<int>(how.columns_x), static_cast<int>(how.columns_y)};
  return std::make_unique<simulation>(
      onehop::cartesian(job, columns, {.grid = grid}), how,
      simulation_options{.first_ms = first_ms, .keeps_spikes = keeps_spikes});
}

spike_array spikes_of(const simulation& self) {
  return owned_array<spike_array>(std::vector<spike>(self.spikes()));
}

void bind_settings(nb::module_& m) {
  nb::class_<network_settings>(m, "NetworkSettings",
                               "The parameters of a network of spiking neurons.")
      .def(nb::init<>(), "Makes one column, with the numbers of Izhikevich (2006).")
      .def_rw("columns_x", &network_settings::columns_x)
      .def_rw("columns_y", &network_settings::columns_y)
      .def_rw("neurons", &network_settings::neurons, "Number of neurons in each column.")
      .def_rw("synapses", &network_settings::synapses, "Number of synapses that leave each neuron.")
      .def_rw("delay_ms", &network_settings::delay_ms, "The longest delay.")
      .def_rw("local", &network_settings::local, "Share of synapses that stay in their column.")
      .def_rw("excitation", &network_settings::excitation,
              "Weight of excitatory synapses, in mV/ms.")
      .def_rw("inhibition", &network_settings::inhibition,
              "Weight of inhibitory synapses, in mV/ms.")
      .def_rw("stimulus_hz", &network_settings::stimulus_hz, "Rate of the stimulus of each neuron.")
      .def_rw("stimulus", &network_settings::stimulus, "Strength of the stimulus in mV/ms.")
      .def_rw("plastic", &network_settings::plastic, "True if spikes change weights (STDP).")
      .def_rw("seed", &network_settings::seed)
      .def_prop_ro("excitatory", &network_settings::excitatory,
                   "Number of excitatory neurons in each column.");
}

void bind_results(nb::module_& m) {
  nb::class_<network_times>(m, "NetworkTimes", "Times of this rank's steps and their parts.")
      .def_ro("steps_s", &network_times::steps_s)
      .def_ro("exchange_s", &network_times::exchange_s,
              "Part of it in start and wait of the chain.");
  nb::class_<network_counts>(m, "NetworkCounts", "Sums over all ranks.")
      .def_ro("sent", &network_counts::sent,
              "Number of spikes sent, counted once for each rank that received them.")
      .def_ro("received", &network_counts::received)
      .def_ro("delivered", &network_counts::delivered, "Number of events at synapses so far.")
      .def_ro("due", &network_counts::due, "The same number, computed from spikes and wiring.")
      .def_ro("synapses", &network_counts::synapses);
  nb::class_<kind_statistics>(m, "NeuronStatistics", "Statistics of all neurons of one kind.")
      .def_ro("spikes", &kind_statistics::spikes)
      .def_ro("counted", &kind_statistics::counted, "Number of neurons included in the averages.")
      .def_ro("interval_variation", &kind_statistics::interval_variation,
              "Standard deviation of a neuron's intervals over their mean, averaged over neurons.");
}

}  // namespace
}  // namespace spiking_network

void bind_spiking_network(nb::module_& m) {
  using namespace spiking_network;
  bind_settings(m);
  bind_results(m);
  nb::class_<simulation>(m, "SpikingNetwork", "Columns of neurons (apps/spiking_network).")
      .def("advance", &simulation::advance, "steps"_a, release_gil(),
           "Advances by steps of 1 ms each. Collective.")
      .def("counts", &simulation::counts, release_gil(), "Collective.")
      .def("kinds", &simulation::kinds, release_gil(),
           "Returns statistics of excitatory and of inhibitory neurons. Collective.")
      .def("checksum", &simulation::checksum, release_gil(),
           "Returns a checksum of the list of spikes. Collective.")
      .def("mean_weight", &simulation::mean_weight, release_gil(),
           "Returns the mean weight of the excitatory synapses. Collective.")
      .def("spikes", &spikes_of, "Returns step and neuron of this rank's spikes, (spikes, 2).")
      .def_prop_ro("times", &simulation::times)
      .def_prop_ro("kernels", &simulation::kernels);
  m.def("make_spiking_network", &make_spiking_network, "context"_a, "grid"_a, "settings"_a,
        "first_ms"_a, "keeps_spikes"_a, release_gil(), "Collective.");
}
