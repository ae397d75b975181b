#include "device/cuda/stream.hpp"

namespace onehop::cuda {
namespace {

class graph : public device::recording {
 public:
  explicit graph(cudaGraph_t recorded) {
    const cudaError_t result = cudaGraphInstantiateWithFlags(&exec_, recorded, 0);
    ignore(cudaGraphDestroy(recorded));
    require(result, "cudaGraphInstantiateWithFlags", __FILE__, __LINE__);
  }
  ~graph() override { ignore(cudaGraphExecDestroy(exec_)); }

  cudaGraphExec_t get() const noexcept { return exec_; }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace

stream::stream(const device::block_shapes& shapes) : shapes_(&shapes) {
  ONEHOP_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  ONEHOP_CUDA(cudaEventCreateWithFlags(&marker_, cudaEventDisableTiming));
}

stream::~stream() {
  ignore(cudaStreamSynchronize(stream_));
  ignore(cudaEventDestroy(marker_));
  ignore(cudaStreamDestroy(stream_));
}

void stream::copy_in(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  ONEHOP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
}

void stream::copy_out(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  ONEHOP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
}

void stream::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  ONEHOP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
}

void stream::clear(void* to, std::size_t bytes) {
  if (bytes == 0) return;
  ONEHOP_CUDA(cudaMemsetAsync(to, 0, bytes, stream_));
}

void stream::follow(device::stream& other) {
  auto& leader = static_cast<stream&>(other);
  ONEHOP_CUDA(cudaEventRecord(leader.marker_, leader.stream_));
  ONEHOP_CUDA(cudaStreamWaitEvent(stream_, leader.marker_, 0));
}

void stream::synchronise() { ONEHOP_CUDA(cudaStreamSynchronize(stream_)); }

void stream::begin_recording() {
  ONEHOP_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

std::unique_ptr<device::recording> stream::end_recording() {
  cudaGraph_t recorded = nullptr;
  ONEHOP_CUDA(cudaStreamEndCapture(stream_, &recorded));
  return std::make_unique<graph>(recorded);
}

void stream::replay(device::recording& what) {
  ONEHOP_CUDA(cudaGraphLaunch(static_cast<graph&>(what).get(), stream_));
}

}  // namespace onehop::cuda
