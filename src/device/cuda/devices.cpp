#include "device/cuda/devices.hpp"

#include <array>

#include "base/text.hpp"
#include "device/cuda/calls.hpp"

namespace onehop::cuda {
namespace {

/// Returns "13.0" for 13000, and nothing for 0, which means no driver.
std::string version_text(int number) {
  return number == 0 ? std::string() : text(number / 1000, ".", number % 1000 / 10);
}

std::string problem_of(cudaError_t result) {
  if (result == cudaErrorInsufficientDriver) {
    int driver = 0;
    ignore(cudaDriverGetVersion(&driver));
    if (driver == 0) return "no CUDA driver on this machine";
    return text("the CUDA driver here is for CUDA ", version_text(driver),
                ", which is older than what onehop was built with");
  }
  if (result == cudaErrorNoDevice) return "no CUDA device on this machine, or none that is visible";
  return text("the CUDA driver fails: ", cudaGetErrorString(result));
}

device::cuda_device device_of(int number, int devices) {
  cudaDeviceProp properties{};
  ONEHOP_CUDA(cudaGetDeviceProperties(&properties, number));
  device::cuda_device device{};
  device.name = properties.name;
  device.major = properties.major;
  device.minor = properties.minor;
  device.memory_bytes = properties.totalGlobalMem;
  std::array<char, 32> bus{};
  ONEHOP_CUDA(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), number));
  device.bus = bus.data();
  for (int other = 0; other < devices; ++other) {
    int can = 0;
    if (other != number) ONEHOP_CUDA(cudaDeviceCanAccessPeer(&can, number, other));
    if (can != 0) device.peers.push_back(other);
  }
  return device;
}

}  // namespace

device::cuda_report inspect() {
  device::cuda_report report;
  int runtime = 0;
  ONEHOP_CUDA(cudaRuntimeGetVersion(&runtime));
  report.runtime = version_text(runtime);
  int devices = 0;
  const cudaError_t result = cudaGetDeviceCount(&devices);
  if (result != cudaSuccess) {
    report.problem = problem_of(result);
    ignore(cudaGetLastError());
    return report;
  }
  int driver = 0;
  ONEHOP_CUDA(cudaDriverGetVersion(&driver));
  report.driver = version_text(driver);
  for (int device = 0; device < devices; ++device)
    report.devices.push_back(device_of(device, devices));
  return report;
}

}  // namespace onehop::cuda
