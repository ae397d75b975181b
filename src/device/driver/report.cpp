#include "device/driver/report.hpp"

#include <array>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "device/driver/device_kernels.hpp"

namespace onehop::device {
namespace {

enum device_attribute {
  attribute_major = 75,
  attribute_minor = 76,
  attribute_words = 92,
  attribute_flush = 98,
  /// For the current operations the driver reports only whether they have 32-bit words.
  attribute_long_words = 122
};

/// An attribute that a driver does not know counts as absent.
int attribute_of(const driver& known, device_attribute which, int device) {
  int value = 0;
  return known.device_attribute(&value, which, device) == 0 ? value : 0;
}

device_report describe(const driver& known, int device, int devices) {
  std::array<char, 128> words{};
  const int length = static_cast<int>(words.size()) - 1;
  device_report found{};
  known.require(known.device_name(words.data(), length, device), "cuDeviceGetName");
  found.name = words.data();
  known.require(known.device_bus(words.data(), length, device), "cuDeviceGetPCIBusId");
  found.bus = words.data();
  found.major = attribute_of(known, attribute_major, device);
  found.minor = attribute_of(known, attribute_minor, device);
  known.require(known.device_bytes(&found.memory_bytes, device), "cuDeviceTotalMem");
  found.words = word_operations_of(known, device);
  for (int other = 0; other < devices; ++other) {
    int can = 0;
    if (other != device)
      known.require(known.reaches_peer(&can, device, other), "cuDeviceCanAccessPeer");
    if (can != 0) found.peers.push_back(other);
  }
  return found;
}

}  // namespace

word_operations word_operations_of(const driver& known, int device) {
  return {attribute_of(known, attribute_words, device) != 0 ||
              attribute_of(known, attribute_long_words, device) != 0,
          attribute_of(known, attribute_flush, device) != 0};
}

driver_report inspect_driver() {
  driver_report report;
  report.kernels_problem = find_kernels().problem;
  try {
    const driver& known = driver::load();
    int version = 0, devices = 0;
    known.require(known.driver_version(&version), "cuDriverGetVersion");
    report.version = text(version / 1000, ".", version % 1000 / 10);
    known.require(known.device_count(&devices), "cuDeviceGetCount");
    for (int device = 0; device < devices; ++device)
      report.devices.push_back(describe(known, device, devices));
  } catch (const error& failure) {
    report.problem = failure.what();
  }
  return report;
}

}  // namespace onehop::device
