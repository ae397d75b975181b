#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/halo_exchange.hpp>

#include <cstdint>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using field_list = std::vector<onehop::halo_memory*>;
using ghost_array = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;
using side_widths = std::vector<std::array<int, 2>>;

std::span<std::byte> memory_at(std::uintptr_t address, std::size_t bytes) {
  return {reinterpret_cast<std::byte*>(address), bytes};
}

void bind_cartesian(nb::module_& m) {
  using onehop::cartesian, onehop::coordinate;
  nb::class_<cartesian>(m, "Cartesian",
                        "Places the ranks on a grid; the fastest dimension comes first.")
      .def(
          "__init__",
          [](cartesian* self, const onehop::context& c, const std::vector<int>& extents,
             const std::vector<int>& grid, const std::vector<bool>& periodic) {
            new (self) cartesian(c, extents, {grid, periodic});
          },
          "context"_a, "extents"_a, "grid"_a, "periodic"_a)
      .def(
          "__eq__", [](const cartesian& a, const cartesian& b) { return a == b; }, "other"_a)
      .def_prop_ro("grid", &cartesian::grid)
      .def_prop_ro("local", &cartesian::local)
      .def_prop_ro("position", &cartesian::position)
      .def_prop_ro("origin", &cartesian::origin)
      .def("rank_at", &cartesian::rank_at, "position"_a)
      .def("neighbour", nb::overload_cast<const coordinate&>(&cartesian::neighbour, nb::const_),
           "steps"_a,
           "Returns the rank at these steps from this one, or -1 beyond an end that is not "
           "periodic.")
      .def("along", &cartesian::along, "dimensions"_a, release_gil(),
           "Returns the group of the ranks whose positions differ from this one's in these "
           "dimensions only. Collective.");
}

void bind_halo_field(nb::module_& m) {
  using onehop::halo_memory;
  nb::class_<halo_memory>(m, "HaloMemory", "A field's layout and its memory, which Python owns.")
      .def(
          "__init__",
          [](halo_memory* self, const onehop::cartesian& ranks, const side_widths& sides,
             bool padded, std::size_t site_bytes, std::uintptr_t address, std::size_t bytes) {
            const onehop::halo_layout layout(ranks, {.sides = sides, .padded = padded});
            new (self) halo_memory(layout, site_bytes, memory_at(address, bytes));
          },
          "ranks"_a, "sides"_a, "padded"_a, "site_bytes"_a, "address"_a, "bytes"_a);
}

void bind_exchange(nb::module_& m) {
  using onehop::halo_exchange;
  nb::class_<halo_exchange>(m, "HaloExchange", "Fills ghosts of fields, which the caller keeps.")
      .def(
          "__init__",
          [](halo_exchange* self, const field_list& fields, bool corners, std::uintptr_t ghosts,
             std::size_t ghost_bytes, std::uintptr_t stream, bool wait_on_stream) {
            const nb::gil_scoped_release released;
            new (self) halo_exchange(fields, {corners, memory_at(ghosts, ghost_bytes),
                                              reinterpret_cast<void*>(stream), wait_on_stream});
          },
          "fields"_a, "corners"_a, "ghosts"_a, "ghost_bytes"_a, "stream"_a, "wait_on_stream"_a)
      .def_static("ghost_bytes", &halo_exchange::ghost_bytes, "fields"_a, "corners"_a)
      .def("start", nb::overload_cast<>(&halo_exchange::start), release_gil())
      .def("start", nb::overload_cast<const field_list&>(&halo_exchange::start), "fields"_a,
           release_gil())
      .def("start_partial", &halo_exchange::start_partial, release_gil())
      .def(
          "ready",
          [](halo_exchange& self, int dimension, int side) {
            self.ready({dimension, side});
          },
          "dimension"_a, "side"_a, release_gil())
      .def("wait", nb::overload_cast<>(&halo_exchange::wait), release_gil())
      .def(
          "wait",
          [](halo_exchange& self, int dimension, int side) {
            self.wait({dimension, side});
          },
          "dimension"_a, "side"_a, release_gil())
      .def("test", nb::overload_cast<>(&halo_exchange::test))
      .def(
          "test",
          [](halo_exchange& self, int dimension, int side) {
            return self.test({dimension, side});
          },
          "dimension"_a, "side"_a)
      .def(
          "ghost_at",
          [](nb::handle_t<halo_exchange> self, const onehop::coordinate& steps, std::size_t field) {
            const std::span<const std::byte> bytes =
                nb::cast<halo_exchange&>(self).ghost_at(steps, field);
            return ghost_array(bytes.data(), {bytes.size()}, self);
          },
          "steps"_a, "field"_a,
          "Returns the bytes of ghosts in host memory where they arrived, without a copy.")
      .def(
          "ghost_address",
          [](const halo_exchange& self, const onehop::coordinate& steps, std::size_t field) {
            return reinterpret_cast<std::uintptr_t>(self.ghost_at(steps, field).data());
          },
          "steps"_a, "field"_a,
          "Returns the address where ghosts arrived, possibly in device memory.")
      .def("synchronise", &halo_exchange::synchronise, release_gil())
      .def("describe", &halo_exchange::describe);
}

}  // namespace

void bind_halo(nb::module_& m) {
  bind_cartesian(m);
  bind_halo_field(m);
  bind_exchange(m);
}
