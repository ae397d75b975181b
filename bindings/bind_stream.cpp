#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <onehop/stream.hpp>

#include "bind.hpp"
#include "span_caster.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using onehop::stream;
using byte_view = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;
using byte_view_ro = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;

/// A python_stream remembers whether its end has been seen.
struct python_stream {
  stream items;
  bool ended = false;
};

std::optional<stream::item> next(python_stream& self) {
  auto item = self.items.next();
  self.ended = !item.has_value();
  return item;
}

std::optional<stream::item> try_next(python_stream& self) {
  stream::item item;
  const stream::state seen = self.items.try_next(item);
  self.ended = seen == stream::state::ended;
  if (seen != stream::state::item) return std::nullopt;
  return item;
}

void bind_parts(nb::module_& m) {
  nb::class_<stream::place>(m, "StreamPlace",
                            "The memory where an item of a stream is to be written.")
      .def_prop_ro("bytes",
                   [](nb::handle_t<stream::place> self) {
                     const auto& place = nb::cast<stream::place&>(self);
                     return byte_view(reinterpret_cast<std::uint8_t*>(place.bytes.data()),
                                      {place.bytes.size()}, self);
                   })
      .def_ro("consumer", &stream::place::consumer);
  nb::class_<stream::item>(m, "StreamItem", "An item of a stream, valid until it is released.")
      .def_prop_ro("bytes",
                   [](nb::handle_t<stream::item> self) {
                     const auto& item = nb::cast<stream::item&>(self);
                     return byte_view_ro(reinterpret_cast<const std::uint8_t*>(item.bytes.data()),
                                         {item.bytes.size()}, self);
                   })
      .def_ro("producer", &stream::item::producer);
}

}  // namespace

void bind_stream(nb::module_& m) {
  bind_parts(m);
  nb::class_<python_stream> bound(m, "Stream",
                                  "A queue of items of any size from producers to consumers.");
  bound
      .def(
          "__init__",
          [](python_stream* self, const onehop::context& c, const std::vector<int>& producers,
             const std::vector<int>& consumers, std::size_t largest_item, std::size_t block_bytes,
             int blocks) {
            const nb::gil_scoped_release released;
            new (self)
                python_stream{stream(c, producers, consumers, {largest_item, block_bytes, blocks})};
          },
          "context"_a, "producers"_a, "consumers"_a, "largest_item"_a, "block_bytes"_a, "blocks"_a)
      .def(
          "reserve",
          [](python_stream& s, std::size_t bytes, int consumer) {
            const nb::gil_scoped_release released;
            return s.items.reserve(bytes, consumer);
          },
          "bytes"_a, "consumer"_a, nb::keep_alive<0, 1>())
      .def(
          "try_reserve",
          [](python_stream& s, std::size_t bytes, int consumer) {
            return s.items.try_reserve(bytes, consumer);
          },
          "bytes"_a, "consumer"_a, nb::keep_alive<0, 1>())
      .def(
          "publish",
          [](python_stream& s, const stream::place& place, std::size_t bytes) {
            s.items.publish(place, bytes);
          },
          "place"_a, "bytes"_a)
      .def(
          "send",
          [](python_stream& s, std::span<const std::byte> data, int consumer) {
            s.items.send(data, consumer);
          },
          "data"_a, "consumer"_a, release_gil())
      .def("flush", [](python_stream& s) { s.items.flush(); })
      .def(
          "close", [](python_stream& s) { s.items.close(); }, release_gil())
      .def("try_close", [](python_stream& s) { return s.items.try_close(); })
      .def("next", &next, release_gil(), nb::keep_alive<0, 1>())
      .def("try_next", &try_next, nb::keep_alive<0, 1>())
      .def(
          "release", [](python_stream& s, const stream::item& taken) { s.items.release(taken); },
          "item"_a)
      .def_ro("ended", &python_stream::ended, "True once the end of the stream has been seen.")
      .def_prop_ro("memory_bytes", [](const python_stream& s) { return s.items.memory_bytes(); });
  bound.attr("any") = static_cast<int>(stream::any);
}
