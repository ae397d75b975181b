#pragma once
/// Lets other threads of Python run during what works for long.

#include <nanobind/nanobind.h>

using release_gil = nanobind::call_guard<nanobind::gil_scoped_release>;

/// Returns what `call` returns, which it makes without touching anything of Python's.
template <class Call>
auto without_gil(Call call) {
  const nanobind::gil_scoped_release released;
  return call();
}
