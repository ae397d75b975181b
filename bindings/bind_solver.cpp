#include "bind.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <onehop/baryon.hpp>
#include <onehop/meson.hpp>
#include <onehop/propagator.hpp>

#include <chrono>
#include <tuple>

#include "span_caster.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using complex = std::complex<double>;
using spinors = std::span<complex>;
using constant_spinors = std::span<const complex>;

// A progress_hook runs inside a solve that does not hold Python's GIL. It takes the GIL to call the
// user's function after each iteration, and at least every 50 ms to let Python handle signals.
class progress_hook {
 public:
  explicit progress_hook(nb::object function)
      : function_(new nb::object(std::move(function)), [](nb::object* held) {
          const nb::gil_scoped_acquire locked;
          delete held;
        }) {}

  void operator()(const onehop::solve_progress& now) {
    const auto time = std::chrono::steady_clock::now();
    const bool look = time - last_look_ >= std::chrono::milliseconds(50);
    if (!look && function_->is_none()) return;
    const nb::gil_scoped_acquire locked;
    if (look) {
      last_look_ = time;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    if (!function_->is_none()) (*function_)(now.source, now.iteration, now.residual);
  }

 private:
  std::shared_ptr<nb::object> function_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

void make_solver(onehop::propagator_solver* self, const onehop::gauge_field& links,
                 const onehop::dirac_operator& dirac, onehop::solve_options options,
                 nb::object progress) {
  options.dirac = dirac;
  options.progress = progress_hook(std::move(progress));
  const nb::gil_scoped_release released;
  new (self) onehop::propagator_solver(links, options);
}

void bind_report(nb::module_& m) {
  using onehop::solve_report, onehop::time_split;
  nb::class_<time_split>(m, "TimeSplit", "Times of this rank in seconds.")
      .def_ro("total_s", &time_split::total_s)
      .def_ro("operator_s", &time_split::operator_s)
      .def_ro("halo_wait_s", &time_split::halo_wait_s)
      .def_ro("vector_s", &time_split::vector_s)
      .def_ro("reduction_s", &time_split::reduction_s)
      .def_ro("check_s", &time_split::check_s)
      .def("__getstate__",
           [](const time_split& s) {
             return std::tuple(s.total_s, s.operator_s, s.halo_wait_s, s.vector_s, s.reduction_s,
                               s.check_s);
           })
      .def("__setstate__", [](time_split& self,
                              const std::tuple<double, double, double, double, double, double>& s) {
        new (&self) time_split(std::make_from_tuple<time_split>(s));
      });
  nb::class_<solve_report>(
      m, "SolveReport",
      "Result of the solve for one source: residuals are |b - M x| / |b|, times are in seconds.\n\n"
      ">>> report = onehop.solve(gauge, kappa=0.12, tol=1e-10).reports[0]\n"
      ">>> report.converged, report.residual_true < 1e-9, report.time.total_s < 60\n"
      "(True, True, True)")
      .def_ro("iterations", &solve_report::iterations)
      .def_ro("reliable_updates", &solve_report::reliable_updates)
      .def_ro("converged", &solve_report::converged)
      .def_ro("residual_iterated", &solve_report::residual_iterated)
      .def_ro("residual_true", &solve_report::residual_true)
      .def_ro("flops", &solve_report::flops)
      .def_ro("time", &solve_report::time)
      .def("__getstate__",
           [](const solve_report& r) {
             return std::tuple(r.iterations, r.reliable_updates, r.converged, r.residual_iterated,
                               r.residual_true, r.flops, r.time);
           })
      .def("__setstate__",
           [](solve_report& self,
              const std::tuple<int, int, bool, double, double, double, time_split>& r) {
             new (&self) solve_report(std::make_from_tuple<solve_report>(r));
           })
      .def("__repr__", [](const solve_report& r) {
        return nb::str("<{}converged after {} iterations, true residual {:.2g}, {:.3g} s>")
            .format(r.converged ? "" : "not ", r.iterations, r.residual_true, r.time.total_s);
      });
}

// The axes are (kind, momentum, t).
nb::object correlators(const onehop::geometry& g, const onehop::coordinate& source,
                       constant_spinors quark, constant_spinors antiquark,
                       const std::vector<onehop::momentum>& momenta) {
  const bool wilson = quark.size() == g.local_volume() * 144;
  const auto contract = wilson ? onehop::meson_correlators : onehop::staggered_meson_correlators;
  auto values = without_gil([&] { return contract(g, source, quark, antiquark, momenta); });
  const std::size_t extent = g.lattice()[3];
  const std::size_t kinds = wilson ? 16 : 8;
  using array = nb::ndarray<nb::numpy, complex, nb::ndim<3>>;
  return nb::cast(array(values.data(), {kinds, momenta.size(), extent}), nb::rv_policy::copy);
}

// The axes are (kind, momentum, t).
nb::object baryons(const onehop::geometry& g, const onehop::coordinate& source, bool antiperiodic,
                   constant_spinors twice, constant_spinors once,
                   const std::vector<onehop::momentum>& momenta) {
  const auto boundary = antiperiodic ? onehop::boundary::antiperiodic : onehop::boundary::periodic;
  auto values = without_gil(
      [&] { return onehop::baryon_correlators(g, source, boundary, twice, once, momenta); });
  const std::size_t extent = g.lattice()[3];
  using array = nb::ndarray<nb::numpy, complex, nb::ndim<3>>;
  return nb::cast(array(values.data(), {4, momenta.size(), extent}), nb::rv_policy::copy);
}

void bind_sources(nb::module_& m) {
  m.def("point_source", &onehop::point_source, "geometry"_a, "site"_a, "component"_a,
        "components"_a, "source"_a.noconvert());
  m.def("wall_source", &onehop::wall_source, "geometry"_a, "t"_a, "component"_a, "components"_a,
        "source"_a.noconvert());
  m.def("noise_wall_source", &onehop::noise_wall_source, "geometry"_a, "t"_a, "seed"_a, "spin"_a,
        "components"_a, "source"_a.noconvert());
  m.def("random_source", &onehop::random_source, "geometry"_a, "seed"_a, "components"_a,
        "source"_a.noconvert());
  m.def("meson_correlators", &correlators, "geometry"_a, "source"_a, "quark"_a.noconvert(),
        "antiquark"_a.noconvert(), "momenta"_a);
  m.def("baryon_correlators", &baryons, "geometry"_a, "source"_a, "antiperiodic"_a,
        "twice"_a.noconvert(), "once"_a.noconvert(), "momenta"_a);
  m.def("add_pion_correlator", &onehop::add_pion_correlator, "geometry"_a, "components"_a,
        "t_source"_a, "solution"_a.noconvert(), "correlator"_a.noconvert(), release_gil());
}

}  // namespace

void bind_solver(nb::module_& m) {
  bind_report(m);
  nb::class_<onehop::propagator_solver>(m, "PropagatorSolver",
                                        "Solves M x = b for up to `rhs` sources at a time.")
      .def("__init__", &make_solver, "links"_a, "operator"_a, "options"_a,
           "progress"_a = nb::none())
      .def("solve", &onehop::propagator_solver::solve_many, "sources"_a.noconvert(),
           "solutions"_a.noconvert(), release_gil(),
           "Fills `solutions` in place and returns one report per source; both arrays hold one or "
           "more canonical spinor fields of this rank.")
      .def(
          "solve_shifted",
          [](onehop::propagator_solver& s, constant_spinors source,
             const std::vector<double>& shifts,
             spinors solutions) { return s.solve_shifted(source, shifts, solutions); },
          "source"_a.noconvert(), "shifts"_a, "solutions"_a.noconvert(), release_gil(),
          "Solves with M^+ M + shift for each shift; returns one report per shift.")
      .def(
          "solve_masses",
          [](onehop::propagator_solver& s, constant_spinors source,
             const std::vector<double>& masses,
             spinors solutions) { return s.solve_masses(source, masses, solutions); },
          "source"_a.noconvert(), "masses"_a, "solutions"_a.noconvert(), release_gil(),
          "Solves with the staggered M for each of these masses; returns one report per mass.")
      .def("apply", &onehop::propagator_solver::apply, "x"_a.noconvert(), "image"_a.noconvert(),
           "dagger"_a = false, release_gil(), "Fills `image` with M x or M^+ x of one field.")
      .def("prepare_workspace", &onehop::propagator_solver::prepare_workspace, release_gil(),
           "Allocates the memory that solve() works in, which the first solve() otherwise does.")
      .def_prop_ro("setup_s", &onehop::propagator_solver::setup_s,
                   "Seconds that this rank needed for setup.")
      .def_prop_ro("kernels", &onehop::propagator_solver::kernels);
  bind_sources(m);
}
