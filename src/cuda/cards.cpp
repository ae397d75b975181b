#include "cuda/cards.hpp"

#include <array>

#include "base/text.hpp"
#include "cuda/calls.hpp"

namespace onehop::cuda {
namespace {

/// 13000 is 13.0; 0 is no driver.
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
  if (result == cudaErrorNoDevice) return "no CUDA card on this machine, or none that is visible";
  return text("the CUDA driver fails: ", cudaGetErrorString(result));
}

device::cuda_card card_of(int number, int cards) {
  cudaDeviceProp properties{};
  ONEHOP_CUDA(cudaGetDeviceProperties(&properties, number));
  device::cuda_card card{};
  card.name = properties.name;
  card.major = properties.major;
  card.minor = properties.minor;
  card.memory_bytes = properties.totalGlobalMem;
  std::array<char, 32> bus{};
  ONEHOP_CUDA(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), number));
  card.bus = bus.data();
  for (int other = 0; other < cards; ++other) {
    int can = 0;
    if (other != number) ONEHOP_CUDA(cudaDeviceCanAccessPeer(&can, number, other));
    if (can != 0) card.peers.push_back(other);
  }
  return card;
}

}  // namespace

device::cuda_report inspect() {
  device::cuda_report report;
  int runtime = 0;
  ONEHOP_CUDA(cudaRuntimeGetVersion(&runtime));
  report.runtime = version_text(runtime);
  int cards = 0;
  const cudaError_t result = cudaGetDeviceCount(&cards);
  if (result != cudaSuccess) {
    report.problem = problem_of(result);
    ignore(cudaGetLastError());
    return report;
  }
  int driver = 0;
  ONEHOP_CUDA(cudaDriverGetVersion(&driver));
  report.driver = version_text(driver);
  for (int card = 0; card < cards; ++card) report.cards.push_back(card_of(card, cards));
  return report;
}

}  // namespace onehop::cuda
