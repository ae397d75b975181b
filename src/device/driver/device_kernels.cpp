#include "device/driver/device_kernels.hpp"

#include <string_view>

#include "machine/module_file.hpp"

namespace onehop::device {

found_kernels find_kernels() {
  const module_file file = open_module("libonehop_cuda.so");
  if (!file.problem.empty()) return {nullptr, file.problem};
  if (file.handle == nullptr) return {nullptr, "this onehop was built without CUDA"};
  const auto* const found =
      static_cast<const device_kernels*>(find_symbol(file, device_kernels_symbol));
  if (found == nullptr || std::string_view(found->interface) != ONEHOP_DEVICE_KERNELS)
    return {nullptr, "libonehop_cuda.so belongs to another onehop"};
  return {found, {}};
}

}  // namespace onehop::device
