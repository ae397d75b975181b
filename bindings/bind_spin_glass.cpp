#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <onehop/cartesian.hpp>
#include <onehop/error.hpp>
#include <spin_glass/simulation.hpp>
#include <spin_glass/tempering.hpp>

#include <span>
#include <string>
#include <vector>

#include "bind_apps.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::unique_ptr<spin_glass::simulation> make_spin_glass(
    const onehop::context& job, const std::vector<int>& lattice, const std::vector<int>& grid,
    const std::string& disorder, std::uint64_t seed, int replicas, bool single, bool overlaps) {
  return spin_glass::make_simulation(
      onehop::cartesian(job, lattice, {.grid = grid}),
      {.kind = spin_glass::disorder_named(disorder),
       .seed = seed,
       .replicas = replicas,
       .numbers = single ? spin_glass::precision::single : spin_glass::precision::double_,
       .how = overlaps ? spin_glass::overlap::bulk : spin_glass::overlap::none});
}

template <class Number>
std::vector<Number> listed(std::span<const Number> numbers) {
  return {numbers.begin(), numbers.end()};
}

void bind_tempering(nb::module_& m) {
  using spin_glass::tempering;
  nb::class_<tempering::pair_counts>(m, "SwapCounts",
                                     "Counts of exchanges between two places so far.")
      .def_ro("tried", &tempering::pair_counts::tried)
      .def_ro("swapped", &tempering::pair_counts::swapped);
  nb::class_<tempering>(m, "Tempering", "Says which replica has which beta (apps/spin_glass).")
      .def(nb::init<std::vector<double>, std::uint64_t>(), "betas"_a, "seed"_a)
      .def(
          "exchange",
          [](tempering& self, const std::vector<double>& energies) { self.exchange(energies); },
          "energies"_a,
          "Lets replicas at neighbouring places exchange them, according to their energies.")
      .def_prop_ro(
          "places", [](const tempering& self) { return listed(self.places()); },
          "Place of each replica in the list of betas.")
      .def_prop_ro("betas_of_replicas", &tempering::betas_of_replicas)
      .def_prop_ro(
          "pairs", [](const tempering& self) { return listed(self.pairs()); },
          "Counts for places 0 and 1, 1 and 2, ...");
}

}  // namespace

void bind_spin_glass(nb::module_& m) {
  using spin_glass::simulation, spin_glass::simulation_times, spin_glass::sweep_energies;
  nb::class_<sweep_energies>(m, "SweepEnergies", "Energies of the whole lattice.")
      .def_ro("after_heatbath", &sweep_energies::after_heatbath)
      .def_ro("after_overrelaxation", &sweep_energies::after_overrelaxation);
  nb::class_<spin_glass::overlap_susceptibility>(
      m, "OverlapSusceptibility", "N sum |q(k)|^2 of two replicas, at k = 0 and the smallest k.")
      .def_ro("zero", &spin_glass::overlap_susceptibility::zero)
      .def_ro("smallest", &spin_glass::overlap_susceptibility::smallest);
  bind_tempering(m);
  nb::class_<simulation_times>(m, "SpinGlassTimes", "Times of this rank and their parts.")
      .def_ro("heatbath_s", &simulation_times::heatbath_s)
      .def_ro("overrelaxation_s", &simulation_times::overrelaxation_s)
      .def_ro("energies_s", &simulation_times::energies_s)
      .def_ro("halo_s", &simulation_times::halo_s);
  nb::class_<simulation>(m, "SpinGlass", "Replicas of a Heisenberg spin glass (apps/spin_glass).")
      .def(
          "sweep",
          [](simulation& self, const std::vector<double>& betas, int overrelaxations) {
            return self.sweep(betas, overrelaxations);
          },
          "betas"_a, "overrelaxations"_a, release_gil(),
          "Performs one heatbath sweep and then this many over-relaxation sweeps of each replica. "
          "Collective.")
      .def("susceptibilities", &simulation::susceptibilities, release_gil(),
           "Returns those of replicas 0 and 1, 2 and 3, ... Collective.")
      .def_prop_ro("times", &simulation::times)
      .def_prop_ro("updates", &simulation::updates,
                   "Number of spins over-relaxed so far, on all ranks.")
      .def_prop_ro("kernels", &simulation::kernels);
  m.def("make_spin_glass", &make_spin_glass, "context"_a, "lattice"_a, "grid"_a, "disorder"_a,
        "seed"_a, "replicas"_a, "single"_a, "overlaps"_a, release_gil(), "Collective.");
}
