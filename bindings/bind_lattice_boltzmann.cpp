#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <lattice_boltzmann/simulation.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind_apps.hpp"
#include "owned_array.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

}  // namespace

// This namespace separates the bindings of several applications, which may be compiled together.
namespace lattice_boltzmann {
namespace {

std::unique_ptr<simulation> make_flow(const onehop::context& job, const std::vector<int>& lattice,
                                      const std::vector<int>& grid, const std::string& setup,
                                      double tau, std::optional<double> magic, double speed,
                                      double radius, bool single, bool overlaps) {
  return make_simulation(job, lattice, grid,
                         {.kind = setup_named(setup),
                          .tau = tau,
                          .magic = magic,
                          .speed = speed,
                          .radius = radius,
                          .numbers = single ? precision::single : precision::double_,
                          .how = overlaps ? overlap::bulk : overlap::none});
}

std::unique_ptr<simulation> make_mixture(
    const onehop::context& job, const std::vector<int>& lattice, const std::vector<int>& grid,
    const std::string& setup, double radius, double deformation, double noise, std::uint64_t seed,
    std::optional<double> wall_cosine, double width, double tension, double mobility,
    std::optional<double> light_density, std::optional<double> light_tau, double gravity,
    double drive, double tau, std::optional<double> magic, bool single, bool overlaps) {
  std::optional<two_densities> densities;
  if (light_density)
    densities = {
        .light = *light_density, .gravity = gravity, .drive = drive, .light_tau = light_tau};
  return make_simulation(job, lattice, grid,
                         {.kind = mixture_named(setup),
                          .radius = radius,
                          .interface_width = width,
                          .wall = wall_cosine.has_value(),
                          .noise = noise,
                          .seed = seed,
                          .deformation = deformation},
                         {.tau = tau,
                          .magic = magic,
                          .interface_width = width,
                          .surface_tension = tension,
                          .mobility = mobility,
                          .wall_cosine = wall_cosine.value_or(0),
                          .densities = densities,
                          .how = overlaps ? overlap::bulk : overlap::none},
                         single ? precision::single : precision::double_);
}

numbers fields_of(const simulation& self) {
  return owned_array<numbers>(without_gil([&] { return self.fields(); }));
}

}  // namespace
}  // namespace lattice_boltzmann

void bind_lattice_boltzmann(nb::module_& m) {
  using namespace lattice_boltzmann;
  nb::class_<flow_times>(m, "FlowTimes", "Times of this rank's steps and their parts.")
      .def_ro("steps_s", &flow_times::steps_s)
      .def_ro("halo_s", &flow_times::halo_s, "Part of it in start and wait of the chain.");
  nb::class_<flow_sums>(m, "FlowSums", "Exact sums over all cells, rounded once.")
      .def_ro("mass_change", &flow_sums::mass_change, "Change since the beginning, over the mass.")
      .def_ro("momentum", &flow_sums::momentum)
      .def_ro("amplitude", &flow_sums::amplitude,
              "Amplitude of the setup's shape in the velocities; for two fluids the root mean "
              "square of the order parameter.")
      .def_ro("order_change", &flow_sums::order_change,
              "Change of the mean order parameter of two fluids since the beginning.");
  nb::class_<simulation>(m, "Flow", "A setup of one fluid or two (apps/lattice_boltzmann).")
      .def("advance", &simulation::advance, "steps"_a, release_gil(), "Collective.")
      .def("sums", &simulation::sums, release_gil(), "Collective.")
      .def("profile", &simulation::profile, release_gil(),
           "Returns the mean velocity along x at each z. Collective.")
      .def("fields", &fields_of,
           "Returns density and velocity of this rank's cells, (4, z, y, x) in one row; for two "
           "fluids also order parameter and pressure, (6, z, y, x).")
      .def_prop_ro("times", &simulation::times)
      .def_prop_ro("sent_bytes", &simulation::sent_bytes,
                   "Number of bytes that this rank sends in a step.")
      .def_prop_ro("kernels", &simulation::kernels);
  m.def("make_flow", &make_flow, "context"_a, "lattice"_a, "grid"_a, "setup"_a, "tau"_a,
        "magic"_a.none(), "speed"_a, "radius"_a, "single"_a, "overlaps"_a, release_gil(),
        "Collective.");
  m.def("make_mixture", &make_mixture, "context"_a, "lattice"_a, "grid"_a, "setup"_a, "radius"_a,
        "deformation"_a, "noise"_a, "seed"_a, "wall_cosine"_a.none(), "width"_a, "tension"_a,
        "mobility"_a, "light_density"_a.none(), "light_tau"_a.none(), "gravity"_a, "drive"_a,
        "tau"_a, "magic"_a.none(), "single"_a, "overlaps"_a, release_gil(), "Collective.");
}
