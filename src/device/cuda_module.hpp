#pragma once
/// CUDA is not installed everywhere, so it is in a module that is loaded on first use.

#include <memory>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/driver/report.hpp"

namespace onehop::device {

struct cuda_report {
  std::string problem;  ///< why no device can be used; empty when one can
  std::string runtime;  ///< CUDA version that the module was built with, "13.0"; empty without a
                        ///< module
  std::string driver;   ///< newest CUDA version that the driver knows; empty without one
  std::vector<device_report> devices;
};

/// cuda_module is the module's only exported symbol. `interface` identifies the headers that
/// library and module share; it must be equal on both sides before anything after it is used.
struct cuda_module {
  const char* interface;
  const char* version;  ///< version of onehop
  /// Sets `runtime` to the version of the CUDA runtime, and `problem` to the reason why it can use
  /// no device.
  void (*inspect)(std::string& runtime, std::string& problem);
  void (*open)(int device, std::unique_ptr<backend>& opened);
};
constexpr const char* cuda_module_symbol = "onehop_cuda_module";

/// Reports the CUDA devices. Loads the module and queries the driver, but uses no device.
cuda_report inspect_cuda();

/// Opens a device, counted from 0. Throws usage_error, in one line, if the module, the driver or
/// the device is missing.
std::unique_ptr<backend> open_cuda(int device);

}  // namespace onehop::device
