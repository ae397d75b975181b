#pragma once
/// Devices run these kernels for puts and collectives. They lie in the CUDA module, which is loaded
/// for them.

#include <string>

#include "device/driver/combine_job.hpp"
#include "device/driver/strided_copy.hpp"

namespace onehop::device {

/// device_kernels is the one symbol of the module. `interface` is that of the headers that both
/// sides share and must be equal, before anything behind it is used.
struct device_kernels {
  const char* interface;
  /// Loads the kernels into the context that the calling thread has entered, so that no exchange
  /// has to and a captured graph may hold them. Throws resource_error.
  void (*prepare)();
  /// Enqueues the copy on a stream of the context that the calling thread has entered. Throws
  /// resource_error.
  void (*copy)(const strided_copy& job, void* stream);
  /// Enqueues what a collective combines, in the same way.
  void (*combine)(const combine_job& job, void* stream);
};
constexpr const char* device_kernels_symbol = "onehop_device_kernels";

struct found_kernels {
  const device_kernels* kernels;  ///< the kernels, null where there are none
  std::string problem;            ///< why there are no kernels
};
/// Looks for the module, again in each call as long as there is none.
found_kernels find_kernels();

}  // namespace onehop::device
