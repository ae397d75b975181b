#include "device/cuda/foreign.hpp"

#include "device/cuda/calls.hpp"

namespace onehop::cuda {
namespace {

/// This thread works on a device for as long as an `on_device` lives.
class on_device {
 public:
  explicit on_device(int device) {
    ONEHOP_CUDA(cudaGetDevice(&before_));
    ONEHOP_CUDA(cudaSetDevice(device));
  }
  ~on_device() { ignore(cudaSetDevice(before_)); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int before_ = 0;
};

class event {
 public:
  event() { ONEHOP_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  // The event may be destroyed at once: a stream that waits for it goes on waiting.
  ~event() { ignore(cudaEventDestroy(event_)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  cudaEvent_t get() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

int device_of(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    ignore(cudaGetLastError());
    return -1;
  }
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

void order_streams(int device, void* follower, void* leader) {
  const on_device here(device);
  const event reached;
  ONEHOP_CUDA(cudaEventRecord(reached.get(), static_cast<cudaStream_t>(leader)));
  ONEHOP_CUDA(cudaStreamWaitEvent(static_cast<cudaStream_t>(follower), reached.get(), 0));
}

void copy_out(int device, void* to, const void* from, std::size_t bytes, void* stream) {
  const on_device here(device);
  const auto on = static_cast<cudaStream_t>(stream);
  ONEHOP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on));
  ONEHOP_CUDA(cudaStreamSynchronize(on));
}

}  // namespace onehop::cuda
