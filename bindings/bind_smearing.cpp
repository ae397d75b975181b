#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <onehop/gauge_observables.hpp>
#include <onehop/quark_smearing.hpp>
#include <onehop/smearing.hpp>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using release_gil = nb::call_guard<nb::gil_scoped_release>;

onehop::smeared_directions directions(bool spatial) {
  return spatial ? onehop::smeared_directions::spatial : onehop::smeared_directions::all;
}

void smear_wuppertal(const onehop::gauge_field& links, double kappa, int steps, int components,
                     nb::ndarray<std::complex<double>, nb::c_contig, nb::device::cpu> fields) {
  const nb::gil_scoped_release released;
  onehop::smear_wuppertal(links, kappa, steps, components, std::span(fields.data(), fields.size()));
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
  m.def("smear_wuppertal", &smear_wuppertal, "links"_a, "kappa"_a, "steps"_a, "components"_a,
        "fields"_a.noconvert());
  m.def("flow_step", &onehop::flow_step, "links"_a, "step"_a, release_gil());
}
