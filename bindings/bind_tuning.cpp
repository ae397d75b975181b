#include "bind.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <onehop/tuning.hpp>

#include "tuning/tuning.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace onehop;

void bind_tuning(nb::module_& m) {
  nb::class_<tuning_identity>(m, "TuningIdentity",
                              "What must be the same for a tuning to be valid.")
      .def_ro("version", &tuning_identity::version)
      .def_ro("host", &tuning_identity::host)
      .def_ro("cpu_model", &tuning_identity::cpu_model)
      .def_ro("isa", &tuning_identity::isa);
  m.def("tuning_identity", &tuning_identity::here);
  nb::class_<tuned_hop>(m, "TunedHop", "The fastest way to do a hop.")
      .def_ro("ways", &tuned_hop::ways,
              "Words by number of right-hand sides; \"\" if the choice by size is fastest.")
      .def_ro("together", &tuned_hop::together,
              "Number of sources that are solved together fastest.");
  nb::class_<tuning>(m, "Tuning", "The results of onehop tune.")
      .def_ro("found", &tuning::found, "True if there is a file.")
      .def_ro("holds", &tuning::holds, "True if the file is for this machine and version.")
      .def_ro("channels", &tuning::channels)
      .def_ro("regime", &tuning::regime)
      .def_ro("blocks", &tuning::blocks)
      .def_ro("hops", &tuning::hops);
  m.def("tuning_file", &tuning_file,
        "Returns ONEHOP_TUNING, or the path of tuning.json in the user's cache folder.");
  m.def("read_tuning", &tuning::read,
        "Raises UsageError for a file that onehop tune did not write, or that does not exist.");
  m.attr("TUNING_SCHEMA") = std::string(tuning::schema);
  m.def(
      "default_rhs",
      [](const geometry& geometry, const dirac_operator& dirac, solve_options options) {
        options.dirac = dirac;
        return default_rhs(geometry, options);
      },
      "geometry"_a, "operator"_a, "options"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Returns how many sources are solved together if the options do not say. Collective.");
}
