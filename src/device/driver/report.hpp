#pragma once
/// What the CUDA driver says of this machine and its devices, without a CUDA module.

#include <string>
#include <vector>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// Stream memory operations of a device.
struct word_operations {
  bool write_and_wait;
  bool flush;  ///< a wait can make sure of what other devices wrote before
};
word_operations word_operations_of(const driver& known, int device);

struct device_report {
  std::string name;
  int major, minor;  ///< compute capability
  std::size_t memory_bytes;
  std::string bus;         ///< "0000:1A:00.0"
  std::vector<int> peers;  ///< devices whose memory it can reach itself
  word_operations words;
};

struct driver_report {
  std::string problem;  ///< why no device can be used, in one line; empty when one can
  std::string version;  ///< newest CUDA that the driver knows, "13.0"; empty without one
  std::vector<device_report> devices;
  std::string kernels_problem;  ///< why puts have no kernels; empty when they have
};

/// Makes no use of any device. Never throws for a machine without driver or device.
driver_report inspect_driver();

}  // namespace onehop::device
