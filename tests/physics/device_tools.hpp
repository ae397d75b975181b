#pragma once
/// Tests solve with these by the device's kernels, on the host.

#include "dirac/device/host_backend.hpp"
#include "solver/solver_on_backend.hpp"

namespace onehop::tests {

/// Makes a solver, by the kernels and in the layout of a device where `on_device`. Collective.
inline propagator_solver solver_for(const gauge_field& links, const solve_options& options,
                                    bool on_device) {
  return solver_on_backend::make(on_device ? device::make_host_backend() : nullptr, links, options);
}

}  // namespace onehop::tests
