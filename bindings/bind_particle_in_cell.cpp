#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <particle_in_cell/offload.hpp>
#include <particle_in_cell/simulation.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
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
namespace particle_in_cell {
namespace {

std::unique_ptr<simulation> make_plasma(const onehop::context& job, const std::vector<int>& lattice,
                                        const std::vector<int>& grid, const std::string& setup,
                                        double cell, double speed, int particles, int order,
                                        std::uint64_t seed, const std::string& how, double courant,
                                        const laser_pulse& laser) {
  return std::make_unique<simulation>(
      job, lattice, grid,
      setup_options{setup_named(setup), cell, speed, particles, order, seed, laser},
      plasma_options{how == "boris" ? pusher::boris : pusher::higuera_cary, courant});
}

wakefield make_wakefield(const std::vector<int>& lattice, double cell, const laser_pulse& laser,
                         double dt) {
  onehop::coordinate extents{1, 1, 1, 1};
  std::copy(lattice.begin(), lattice.end(), extents.begin());
  return {laser, cell, extents, static_cast<int>(lattice.size()), dt};
}

numbers fields_of(simulation& self) {
  return owned_array<numbers>(without_gil([&] { return self.fields(); }));
}

}  // namespace
}  // namespace particle_in_cell

void bind_particle_in_cell(nb::module_& m) {
  using namespace particle_in_cell;
  nb::class_<plasma_times>(m, "PlasmaTimes", "Times of this rank's steps and their parts.")
      .def_ro("steps_s", &plasma_times::steps_s)
      .def_ro("particles_s", &plasma_times::particles_s,
              "Part of it in moving particles and adding their currents.")
      .def_ro("sort_s", &plasma_times::sort_s, "Part of it in sorting particles by cell.")
      .def_ro("exchange_s", &plasma_times::exchange_s, "Part of it in start and wait of chains.");
  nb::class_<plasma_sums>(m, "PlasmaSums", "Exact sums over the lattice, rounded once.")
      .def_ro("electric_energy", &plasma_sums::electric_energy)
      .def_ro("magnetic_energy", &plasma_sums::magnetic_energy)
      .def_ro("kinetic_energy", &plasma_sums::kinetic_energy, "Kinetic energy of the electrons.")
      .def_ro("momentum", &plasma_sums::momentum, "Momentum of the electrons, half a step before.")
      .def_ro("amplitude", &plasma_sums::amplitude, "Amplitude of the setup's mode in E.")
      .def_prop_ro(
          "gauss", [](const plasma_sums& of) { return of.gauss.electric; },
          "Difference of div E and the change of the charge, over the mean density.")
      .def_prop_ro(
          "gauss_magnetic", [](const plasma_sums& of) { return of.gauss.magnetic; },
          "Difference of div B from 0.")
      .def_ro("particles", &plasma_sums::particles, "Number of particles.")
      .def_ro("made", &plasma_sums::made,
              "Number of particles that were there at first or came as new plasma.")
      .def_ro("removed", &plasma_sums::removed,
              "Number of particles that left at the ends of the lattice.");
  nb::class_<laser_pulse>(m, "LaserPulse", "A laser pulse, in units of 1 / w_p and c / w_p.")
      .def(nb::init<double, double, double, double>(), "a0"_a, "frequency"_a, "waist"_a,
           "duration"_a);
  nb::class_<wakefield>(m, "Wakefield", "Where and when a laser pulse is, in units of cells and c.")
      .def_prop_ro(
          "layer", [](const wakefield&) { return absorber::thickness; },
          "Number of absorbing cells at an end.")
      .def_prop_ro("antenna_x", &wakefield::antenna_x)
      .def_prop_ro("plasma_begins", &wakefield::plasma_begins)
      .def_prop_ro("pulse_time", &wakefield::pulse_time,
                   "Time at which the middle of the pulse leaves the antenna.")
      .def_prop_ro("window_starts", &wakefield::window_starts,
                   "Time at which the window begins to move.");
  m.def("make_wakefield", &make_wakefield, "lattice"_a, "cell"_a, "laser"_a, "dt"_a);
  nb::class_<simulation>(m, "Plasma", "A setup of a plasma (apps/particle_in_cell).")
      .def("advance", &simulation::advance, "steps"_a, release_gil(), "Collective.")
      .def("sums", &simulation::sums, release_gil(), "Collective.")
      .def("fields", &fields_of,
           "Returns E, B and the density of electrons over the mean density, at this rank's cells, "
           "(7, z, y, x) in one row. Collective.")
      .def(
          "particles",
          [](const simulation& self, double ids) {
            return owned_array<numbers>(self.particles(ids));
          },
          "ids"_a,
          "Returns place in cells, u and id of this rank's particles with lower ids, (n, 7).")
      .def_prop_ro("times", [](const simulation& of) { return of.state().times(); })
      .def_prop_ro(
          "dt", [](const simulation& of) { return of.state().dt(); }, "Time step in cells over c.")
      .def_prop_ro("magnetic_field", &simulation::magnetic_field)
      .def_prop_ro(
          "sent_bytes", [](const simulation& of) { return of.state().grid().sent_bytes(); },
          "Number of bytes of fields that this rank sends in a step.")
      .def_prop_ro(
          "migrated", [](const simulation& of) { return of.state().migrated(); },
          "Number of particles that this rank has sent.")
      .def_prop_ro(
          "pushes", [](const simulation& of) { return of.state().pushes(); },
          "Number of times that this rank has moved a particle by one step.")
      .def_prop_ro(
          "flops_of_push", [](const simulation& of) { return of.state().flops_of_push(); },
          "Flops for a particle that stays in its cell.")
      .def_prop_ro(
          "window_moved", [](const simulation& of) { return of.state().window_moved(); },
          "Number of cells that the window has moved along x.")
      .def_prop_ro("kernels", &simulation::kernels);
  m.def("make_plasma", &make_plasma, "context"_a, "lattice"_a, "grid"_a, "setup"_a, "cell"_a,
        "speed"_a, "particles"_a, "order"_a, "seed"_a, "pusher"_a, "courant"_a, "laser"_a,
        release_gil(), "Collective.");
  nb::class_<offload_report>(m, "OffloadReport", "Result of an offload of particles.")
      .def_ro("steady_ns", &offload_report::steady_ns,
              "Time per particle, from the end of one push to the end of a later one.")
      .def_ro("all_ns", &offload_report::all_ns,
              "Time per particle, from the first start to the last arrival.")
      .def_ro("wrong", &offload_report::wrong,
              "Number of particles that are not where pushes in place bring them.")
      .def_prop_ro(
          "pushes",
          [](const offload_report& of) {
            std::vector<std::array<double, 2>> found;
            for (const push_time& each : of.pushes) found.push_back({each.begin_us, each.end_us});
            return found;
          },
          "Begin and end of each push in us, from the beginning of the first one.");
  m.def(
      "run_offload",
      [](const onehop::context& job, std::size_t chunk, int chunks, int buffers, int steps) {
        return offload(job, {chunk, chunks, buffers, steps});
      },
      "context"_a, "chunk"_a, "chunks"_a, "buffers"_a, "steps"_a, release_gil(),
      "Puts chunks of particles from rank 0 into buffers of rank 1, which pushes them and puts "
      "them back. Collective.");
}
