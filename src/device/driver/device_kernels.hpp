#pragma once
/// Devices run these kernels for puts and collectives. They are in the CUDA module, which is loaded
/// for them.

#include <string>

#include "device/driver/combine_job.hpp"
#include "device/driver/strided_copy.hpp"

namespace onehop::device {

/// device_kernels is the module's only exported symbol for this. `interface` identifies the headers
/// that both sides share; it must be equal on both before anything after it is used.
struct device_kernels {
  const char* interface;
  /// Loads the kernels into the calling thread's current context, so that no exchange has to and a
  /// captured graph may contain them. Throws resource_error.
  void (*prepare)();
  /// Enqueues the copy on a stream of the calling thread's current context. Throws resource_error.
  void (*copy)(const strided_copy& job, void* stream);
  /// Enqueues the combining step of a collective, in the same way.
  void (*combine)(const combine_job& job, void* stream);
};
constexpr const char* device_kernels_symbol = "onehop_device_kernels";

struct found_kernels {
  const device_kernels* kernels;  ///< the kernels, null if there are none
  std::string problem;            ///< why there are no kernels
};
/// Looks for the module; while there is none, each call looks again.
found_kernels find_kernels();

}  // namespace onehop::device
