#pragma once
/// Tests solve with these by the device's kernels: on the host, or on the CUDA device 0 where
/// ONEHOP_TEST_DEVICE is "cuda".

#include "device/cuda_module.hpp"
#include "host_backend/host_backend.hpp"
#include "solver/solver_on_backend.hpp"

#include <onehop/error.hpp>

#include <cstdlib>
#include <string_view>

namespace onehop::tests {

inline std::unique_ptr<device::backend> backend_under_test() {
  const char* const named = std::getenv("ONEHOP_TEST_DEVICE");
  const std::string_view wanted = named == nullptr ? "host" : named;
  if (wanted == "cuda") return device::open_cuda(0);
  // Another word must not pass for a test of a device.
  if (wanted != "host") throw usage_error("ONEHOP_TEST_DEVICE: give host or cuda");
  return device::make_host_backend();
}

/// Makes a solver, by the kernels and in the layout of a device where `on_device`. Collective.
inline propagator_solver solver_for(const gauge_field& links, const solve_options& options,
                                    bool on_device) {
  return solver_on_backend::make(on_device ? backend_under_test() : nullptr, links, options);
}

}  // namespace onehop::tests
