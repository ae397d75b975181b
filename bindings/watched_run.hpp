#pragma once
/// Long runs of the virtual network can be interrupted and followed from Python.

#include <nanobind/nanobind.h>

/// Runs an object that has a network, handles Ctrl-C, and reports how far the run is.
template <class Run>
auto run_watched(Run& self, const nanobind::object& progress) {
  self.net().watch([&] {
    const nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (!progress.is_none()) progress(self.net().now(), self.net().account().messages_delivered);
  });
  const nanobind::gil_scoped_release freed;
  return self.run();
}
