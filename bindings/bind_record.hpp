#pragma once
// Binds plain structs as Python classes: one keyword and one attribute per member.

#include <nanobind/nanobind.h>

#include <cmath>
#include <type_traits>
#include <utility>

template <class T, class V>
struct record_field {
  const char* name;
  V T::*member;
};
template <class T, class V>
record_field(const char*, V T::*) -> record_field<T, V>;

template <class T, class... V>
void bind_record(nanobind::module_& m, const char* name, const char* doc,
                 record_field<T, V>... fields) {
  nanobind::class_<T> record(m, name, doc);
  const T usual{};
  record.def(
      "__init__",
      [fields...](T* self, V... values) {
        new (self) T();
        ((self->*(fields.member) = std::move(values)), ...);
      },
      nanobind::kw_only(), (nanobind::arg(fields.name) = usual.*(fields.member))...);
  (record.def_rw(fields.name, fields.member), ...);
}

/// Returns an attribute of a Python object, rounded if an integer is wanted.
template <class V>
V attribute_of(nanobind::handle from, const char* name) {
  const nanobind::object value = from.attr(name);
  if constexpr (std::is_integral_v<V> && !std::is_same_v<V, bool>)
    if (nanobind::isinstance<nanobind::float_>(value))
      return static_cast<V>(std::llrint(nanobind::cast<double>(value)));
  return nanobind::cast<V>(value);
}

/// Binds a struct that can also be made from an object with attributes of the same names.
template <class T, class... V>
void bind_table(nanobind::module_& m, const char* name, const char* doc,
                record_field<T, V>... fields) {
  bind_record<T>(m, name, doc, fields...);
  nanobind::borrow<nanobind::class_<T>>(m.attr(name))
      .def_static(
          "of",
          [fields...](nanobind::handle table) {
            T made{};
            ((made.*(fields.member) = attribute_of<V>(table, fields.name)), ...);
            return made;
          },
          nanobind::arg("table"), "What a table of a platform says under the same names.");
}
