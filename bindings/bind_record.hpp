#pragma once
// Binds plain structs as Python classes: one keyword and one attribute per member.

#include <nanobind/nanobind.h>

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
