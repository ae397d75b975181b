#pragma once
/// Lets other Python threads run during long calls.

#include <nanobind/nanobind.h>

using release_gil = nanobind::call_guard<nanobind::gil_scoped_release>;

/// Returns the result of `call`, which must not touch any Python object.
template <class Call>
auto without_gil(Call call) {
  const nanobind::gil_scoped_release released;
  return call();
}
