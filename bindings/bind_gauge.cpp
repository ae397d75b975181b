#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <array>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using complex_array = nb::ndarray<nb::numpy, std::complex<double>>;

// The axes are mu, t+1, z+1, y+1, x+1, row, column; ghosts are included.
complex_array padded_links(nb::handle_t<onehop::gauge_field> self) {
  auto& field = nb::cast<onehop::gauge_field&>(self);
  std::array<std::size_t, 7> shape{4, 0, 0, 0, 0, 3, 3};
  for (int mu = 0; mu < 4; ++mu) {
    shape[4 - mu] = static_cast<std::size_t>(field.geometry().local()[mu]) + 2;
  }
  return {field.data().front().data(), shape.size(), shape.data(), self};
}

void bind_geometry(nb::module_& m) {
  using onehop::coordinate, onehop::geometry;
  m.def(
      "choose_grid", &onehop::choose_grid, "lattice"_a, "ranks"_a, "thinnest"_a = 1,
      "Returns the grid with the smallest faces whose blocks are at least `thinnest` sites thick: "
      "ranks in x, y, z, t for a lattice of four extents. Raises UsageError if there is none.\n\n"
      ">>> onehop.choose_grid([16, 16, 16, 32], ranks=4)\n"
      "[1, 1, 1, 4]");
  nb::class_<geometry>(m, "Geometry",
                       "The lattice and how a grid of ranks divides it, in x, y, z, t. This rank's "
                       "block has `local` sites, beginning at `origin`. Raises UsageError unless "
                       "the grid divides the lattice and has as many ranks as the job.\n\n"
                       ">>> block = onehop.Geometry(job, lattice=[4, 4, 4, 8], grid=[1, 1, 1, 1])\n"
                       ">>> block.local, block.origin\n"
                       "([4, 4, 4, 8], [0, 0, 0, 0])")
      .def(nb::init<const onehop::context&, const coordinate&, const coordinate&>(), "context"_a,
           "lattice"_a, "grid"_a)
      .def_prop_ro("context", &geometry::context)
      .def_prop_ro("lattice", &geometry::lattice)
      .def_prop_ro("grid", &geometry::grid)
      .def_prop_ro("local", &geometry::local, "Extents of the block of each rank.")
      .def_prop_ro("position", &geometry::position)
      .def_prop_ro("origin", &geometry::origin, "Global coordinate of the block's first site.")
      .def(
          "neighbour",
          [](const geometry& of, int mu, int sign) {
            if (mu < 0 || mu > 3 || (sign != 1 && sign != -1))
              throw onehop::usage_error("neighbour(" + std::to_string(mu) + ", " +
                                        std::to_string(sign) +
                                        "): give a direction from 0 to 3 and a sign of 1 or -1");
            return of.neighbour(mu, sign);
          },
          "mu"_a, "sign"_a, "Returns the rank of the neighbour in direction mu. Raises UsageError.")
      .def("__repr__", [](const geometry& of) {
        return nb::str("<Geometry {} on grid {}, block {} from {}>")
            .format(of.lattice(), of.grid(), of.local(), of.origin());
      });
}

void bind_gauge_field(nb::module_& m) {
  using onehop::gauge_field;
  nb::class_<gauge_field>(m, "GaugeField", "SU(3) links on one rank's block, with ghosts.")
      .def(nb::init<const onehop::geometry&>(), "geometry"_a, release_gil())
      .def_prop_ro("geometry", &gauge_field::geometry)
      .def_prop_ro(
          "padded_links", &padded_links,
          "complex128 (4, Lt+2, Lz+2, Ly+2, Lx+2, 3, 3): the whole memory, without a copy.")
      .def("exchange_ghosts", nb::overload_cast<>(&gauge_field::exchange_ghosts), release_gil());
  m.def("set_cold", &onehop::set_cold, "links"_a, release_gil());
  m.def("set_hot", &onehop::set_hot, "links"_a, "seed"_a, release_gil());
  m.def("link_trace", &onehop::link_trace, "links"_a, release_gil());
  m.def("check_links", &onehop::check_links, "links"_a, release_gil());
  nb::class_<onehop::plaquette_average>(m, "PlaquetteAverage")
      .def_ro("mean", &onehop::plaquette_average::mean)
      .def_ro("spatial", &onehop::plaquette_average::spatial)
      .def_ro("temporal", &onehop::plaquette_average::temporal)
      .def("__repr__", [](const onehop::plaquette_average& of) {
        return nb::str("<PlaquetteAverage {:.10f}, spatial {:.10f}, temporal {:.10f}>")
            .format(of.mean, of.spatial, of.temporal);
      });
  m.def("plaquette", &onehop::plaquette, "links"_a, release_gil());
  m.def(
      "heatbath_sweep",
      [](gauge_field& links, double beta, std::uint64_t seed, int overrelaxation,
         std::uint64_t sweep) {
        onehop::heatbath_sweep(links, {beta, seed, overrelaxation}, sweep);
      },
      "links"_a, "beta"_a, "seed"_a, "overrelaxation"_a, "sweep"_a, release_gil());
}

void bind_files(nb::module_& m) {
  using onehop::gauge_file_info;
  nb::class_<gauge_file_info>(m, "GaugeFileInfo", "What the header of a configuration file says.")
      .def_ro("format", &gauge_file_info::format)
      .def_ro("lattice", &gauge_file_info::lattice)
      .def_ro("precision_bits", &gauge_file_info::precision_bits)
      .def_ro("stored_rows", &gauge_file_info::stored_rows,
              "3, or 2 if the third row is computed on reading.")
      .def_ro("endianness", &gauge_file_info::endianness)
      .def_ro("has_checksum", &gauge_file_info::has_checksum)
      .def_ro("plaquette", &gauge_file_info::plaquette, "NaN if the header has none.")
      .def("__repr__", [](const gauge_file_info& of) {
        return nb::str("<GaugeFileInfo {} of {}, {} bit, {} checksum, plaquette {:.10f}>")
            .format(of.format, of.lattice, of.precision_bits, of.has_checksum ? "with" : "no",
                    of.plaquette);
      });
  m.def("inspect_gauge_file", &onehop::inspect_gauge_file, "path"_a, release_gil());
  m.def(
      "read_gauge_file",
      [](const onehop::geometry& geometry, const std::string& path,
         std::function<void(const std::string&)> warn, bool allow_non_unitary) {
        return onehop::read_gauge_file(geometry, path, {std::move(warn), allow_non_unitary});
      },
      "geometry"_a, "path"_a, "warn"_a.none(), "allow_non_unitary"_a = false, release_gil());
  m.def(
      "write_gauge_file",
      [](const onehop::gauge_field& links, const std::string& path, const std::string& format,
         int precision_bits, int rows) {
        onehop::write_gauge_file(links, path, format, {precision_bits, rows});
      },
      "links"_a, "path"_a, "format"_a, "precision_bits"_a = 0, "rows"_a = 0, release_gil());
}

}  // namespace

void bind_gauge(nb::module_& m) {
  bind_geometry(m);
  bind_gauge_field(m);
  bind_files(m);
}
