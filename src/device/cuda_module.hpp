#pragma once
/// CUDA, which is not everywhere, lies in a module that is loaded when it is asked for.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace onehop::device {

struct cuda_device {
  std::string name;
  int major, minor;  ///< compute capability
  std::size_t memory_bytes;
  std::string bus;         ///< "0000:1A:00.0"
  std::vector<int> peers;  ///< devices whose memory it can reach itself
};

struct cuda_report {
  std::string problem;  ///< why no device can be used; empty when one can
  std::string runtime;  ///< CUDA that the module was built with, "13.0"; empty without a module
  std::string driver;   ///< newest CUDA that the driver knows; empty without one
  std::vector<cuda_device> devices;
};

/// The one symbol of a module. `interface` is that of the headers that library and module share and
/// must be equal, before anything behind it is looked at.
struct cuda_module {
  const char* interface;
  const char* version;  ///< of onehop
  void (*inspect)(cuda_report& report);
  void (*open)(int device, std::unique_ptr<backend>& opened);
  // src/device/cuda/foreign.hpp
  int (*device_of)(const void* memory);
  void (*order_streams)(int device, void* follower, void* leader);
  void (*copy_out)(int device, void* to, const void* from, std::size_t bytes, void* stream);
};
constexpr const char* cuda_module_symbol = "onehop_cuda_module";

/// Says what there is. Loads the module and queries the driver, but uses no device.
cuda_report inspect_cuda();

/// A device, counted from 0. Throws usage_error, in one line, where the module, the driver or the
/// device is missing.
std::unique_ptr<backend> open_cuda(int device);

/// The device whose memory this is. None for managed memory and that of the host, and where module,
/// driver or device is missing.
std::optional<int> device_of(const void* memory);

/// What is enqueued on the CUDA stream `follower` from now on waits for what `leader` holds now; of
/// the device where `memory` lies. Returns at once. Throws usage_error for memory of no device.
void order_streams(void* follower, void* leader, const void* memory);

/// From a device's memory to the host's, in the order of `stream`; waits until it is done. Throws
/// usage_error for memory of no device.
void copy_from_device(void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::device
