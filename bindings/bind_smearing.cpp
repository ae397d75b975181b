#include "bind.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <onehop/gauge_fixing.hpp>
#include <onehop/gauge_observables.hpp>
#include <onehop/quark_smearing.hpp>
#include <onehop/smearing.hpp>

#include "span_caster.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

onehop::smeared_directions directions(bool spatial) {
  return spatial ? onehop::smeared_directions::spatial : onehop::smeared_directions::all;
}

onehop::gauge_fixing_report fix_gauge(onehop::gauge_field& links, bool coulomb, double tolerance,
                                      double overrelaxation, int max_sweeps) {
  const auto condition =
      coulomb ? onehop::gauge_condition::coulomb : onehop::gauge_condition::landau;
  const auto look_for_signals = [](int, double) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  const nb::gil_scoped_release released;
  return onehop::fix_gauge(links,
                           {condition, tolerance, overrelaxation, max_sweeps, look_for_signals});
}

void bind_fixing(nb::module_& m) {
  using report = onehop::gauge_fixing_report;
  nb::class_<report>(m, "GaugeFixingReport", "Result of a gauge fixing.")
      .def_ro("converged", &report::converged)
      .def_ro("sweeps", &report::sweeps)
      .def_ro("theta", &report::theta,
              "1/(3 V) sum_x tr D D^+, where D is the divergence of the links.")
      .def_ro("theta_before", &report::theta_before)
      .def_ro("functional", &report::functional, "Mean of Re tr U / 3 over the links that count.")
      .def_ro("functional_before", &report::functional_before)
      .def("__repr__", [](const report& r) {
        return nb::str("<{}converged after {} sweeps, theta {:.2g}, functional {:.10g}>")
            .format(r.converged ? "" : "not ", r.sweeps, r.theta, r.functional);
      });
  m.def("fix_gauge", &fix_gauge, "links"_a, "coulomb"_a, "tolerance"_a, "overrelaxation"_a,
        "max_sweeps"_a);
}

}  // namespace

void bind_smearing(nb::module_& m) {
  using onehop::gauge_field;
  m.def("rectangle", &onehop::rectangle, "links"_a, release_gil());
  m.def("polyakov_loops", &onehop::polyakov_loops, "links"_a, release_gil());
  nb::class_<onehop::field_strength_average>(m, "FieldStrengthAverage")
      .def_ro("energy", &onehop::field_strength_average::energy)
      .def_ro("topological_charge", &onehop::field_strength_average::topological_charge);
  m.def("clover_field_strength", &onehop::clover_field_strength, "links"_a, release_gil());
  m.def("plaquette_energy", &onehop::plaquette_energy, "links"_a, release_gil());
  m.def(
      "smear_ape",
      [](gauge_field& links, double alpha, bool spatial) {
        onehop::smear_ape(links, alpha, directions(spatial));
      },
      "links"_a, "alpha"_a, "spatial"_a, release_gil());
  m.def(
      "smear_stout",
      [](gauge_field& links, double rho, bool spatial) {
        onehop::smear_stout(links, rho, directions(spatial));
      },
      "links"_a, "rho"_a, "spatial"_a, release_gil());
  m.def("smear_hyp", &onehop::smear_hyp, "links"_a, "alpha"_a, release_gil());
  m.def("smear_wuppertal", &onehop::smear_wuppertal, "links"_a, "kappa"_a, "steps"_a,
        "components"_a, "fields"_a.noconvert(), release_gil());
  bind_fixing(m);
  m.def("flow_step", &onehop::flow_step, "links"_a, "step"_a, release_gil());
}
