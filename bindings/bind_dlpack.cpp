#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// A dlpack_memory is the memory that a DLPack capsule describes; it keeps the memory as long as it
/// lives.
struct dlpack_memory {
  nb::ndarray<nb::ro> array;
  bool read_only;

  explicit dlpack_memory(const nb::object& capsule) : read_only(false) {
    nb::ndarray<> writable;
    if (nb::try_cast(capsule, writable, false)) {
      array = nb::ndarray<nb::ro>(writable);
    } else {
      array = nb::cast<nb::ndarray<nb::ro>>(capsule);
      read_only = true;
    }
  }

  template <class Number>
  std::vector<std::int64_t> each(Number (nb::ndarray<nb::ro>::*of)(std::size_t) const) const {
    std::vector<std::int64_t> all(array.ndim());
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k] = static_cast<std::int64_t>((array.*of)(k));
    }
    return all;
  }

  char kind() const {
    const nb::dlpack::dtype type = array.dtype();
    if (type.lanes != 1) return 'V';
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
      case nb::dlpack::dtype_code::Int:
        return 'i';
      case nb::dlpack::dtype_code::UInt:
        return 'u';
      case nb::dlpack::dtype_code::Float:
        return 'f';
      case nb::dlpack::dtype_code::Complex:
        return 'c';
      case nb::dlpack::dtype_code::Bool:
        return 'b';
      default:
        return 'V';
    }
  }
};

}  // namespace

void bind_dlpack(nb::module_& m) {
  nb::class_<dlpack_memory>(m, "DlpackMemory", "The memory that a capsule of __dlpack__ describes.")
      .def(nb::init<const nb::object&>(), "capsule"_a,
           "Takes ownership of the capsule, as its only consumer.")
      .def_prop_ro("address",
                   [](const dlpack_memory& self) {
                     return reinterpret_cast<std::uintptr_t>(self.array.data());
                   })
      .def_prop_ro("shape",
                   [](const dlpack_memory& self) { return self.each(&nb::ndarray<nb::ro>::shape); })
      .def_prop_ro(
          "strides",
          [](const dlpack_memory& self) { return self.each(&nb::ndarray<nb::ro>::stride); },
          "Strides in elements.")
      .def_prop_ro("item_bytes", [](const dlpack_memory& self) { return self.array.itemsize(); })
      .def_prop_ro("kind", &dlpack_memory::kind,
                   "Kind of type in NumPy's notation: i, u, f, c, b, or V for a type that NumPy "
                   "does not have.")
      .def_ro("read_only", &dlpack_memory::read_only);
}
