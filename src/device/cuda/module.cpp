#include "device/cuda/backend.hpp"
#include "device/cuda/devices.hpp"
#include "device/cuda_module.hpp"

namespace onehop::device {

extern "C" {

[[gnu::visibility("default")]] extern const cuda_module onehop_cuda_module;
const cuda_module onehop_cuda_module{ONEHOP_CUDA_INTERFACE, ONEHOP_VERSION,
                                     [](cuda_report& report) { report = cuda::inspect(); },
                                     [](int device, std::unique_ptr<backend>& opened) {
                                       opened = std::make_unique<cuda::backend>(device);
                                     }};

}  // extern "C"

}  // namespace onehop::device
