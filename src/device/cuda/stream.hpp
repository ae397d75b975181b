#pragma once
/// A stream wraps a CUDA stream.

#include "device/backend.hpp"
#include "device/block_shapes.hpp"
#include "device/cuda/calls.hpp"

namespace onehop::cuda {

class stream : public device::stream {
 public:
  /// The `shapes` must outlive the stream.
  explicit stream(const device::block_shapes& shapes);
  ~stream() override;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  void copy_in(void* to, const void* from, std::size_t bytes) override;
  void copy_out(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* to, std::size_t bytes) override;
  void follow(device::stream& other) override;
  void synchronise() override;
  void begin_recording() override;
  std::unique_ptr<device::recording> end_recording() override;
  void replay(device::recording& what) override;

  void* handle() const noexcept override { return stream_; }

  cudaStream_t get() const noexcept { return stream_; }
  const device::block_shapes& shapes() const noexcept { return *shapes_; }

 private:
  const device::block_shapes* shapes_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t marker_ = nullptr;
};

/// Returns the CUDA stream behind a stream of this module.
inline const stream& cuda_stream(const device::stream& of) {
  return static_cast<const stream&>(of);
}

}  // namespace onehop::cuda
