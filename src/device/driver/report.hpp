#pragma once
/// A driver_report is what the CUDA driver reports about this machine and its devices, without a
/// CUDA module.

#include <string>
#include <vector>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// word_operations says which stream memory operations a device has.
struct word_operations {
  bool write_and_wait;
  bool flush;  ///< a wait can flush earlier writes of other devices
};
word_operations word_operations_of(const driver& known, int device);

struct device_report {
  std::string name;
  int major, minor;  ///< numbers of the compute capability
  std::size_t memory_bytes;
  std::string bus;         ///< PCI address: "0000:1A:00.0"
  std::vector<int> peers;  ///< devices whose memory this device can access directly
  word_operations words;
};

struct driver_report {
  std::string problem;  ///< why no device can be used, in one line; empty when one can
  std::string version;  ///< newest CUDA that the driver knows, "13.0"; empty without one
  std::vector<device_report> devices;
  std::string kernels_problem;  ///< why puts have no kernels; empty when they have
};

/// Inspects the driver without using any device. Never throws for a machine without driver or
/// device.
driver_report inspect_driver();

}  // namespace onehop::device
