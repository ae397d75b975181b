#pragma once
/// A back end is a device with its own memory, as seen by the host that gives it work.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace onehop {

enum class field_precision : std::uint8_t;

}  // namespace onehop

namespace onehop::device {

/// A kernel_table holds the device's kernels for one precision (dirac/device/kernel_table.hpp).
struct kernel_table;
class block_shapes;

/// A recording is recorded work that is cheap to repeat.
class recording {
 public:
  virtual ~recording() = default;
};

/// A stream does its work in order. Every call enqueues work and returns at once, unless documented
/// otherwise.
class stream {
 public:
  virtual ~stream() = default;

  /// Copies from the host; `from` may be reused on return, or after synchronise if it is memory of
  /// allocate_host.
  virtual void copy_in(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies to the host; `to` is complete after synchronise. Copies overlap with other work only if
  /// the memory is from allocate_host.
  virtual void copy_out(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void clear(void* to, std::size_t bytes) = 0;
  /// Makes everything enqueued here from now on wait for the present contents of `other`.
  virtual void follow(stream& other) = 0;
  /// Waits on the host until all work is done.
  virtual void synchronise() = 0;

  /// Between begin_recording and end_recording, work is recorded but not done.
  virtual void begin_recording() = 0;
  virtual std::unique_ptr<recording> end_recording() = 0;
  virtual void replay(recording& what) = 0;

  /// Returns the handle for put_chain::set_stream; null if memory is the host's.
  virtual void* handle() const noexcept = 0;
};

class backend {
 public:
  virtual ~backend() = default;

  /// Returns the name of the device, such as "host" or "cuda 0: NVIDIA H200".
  virtual std::string name() const = 0;
  virtual std::unique_ptr<stream> make_stream() = 0;
  virtual const kernel_table& kernels(field_precision kind) = 0;
  /// Sets the block shapes for everything launched from now on; recordings keep the shapes they
  /// were made with.
  virtual void set_blocks(const block_shapes& shapes) = 0;

  /// Allocates at least one byte, zeroed, aligned to 256 bytes. Throws resource_error.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Allocates host memory from which a stream copies fastest.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory) noexcept = 0;
};

/// A memory object is memory of a device, or host memory with the fastest copies, that is freed
/// with its owner.
class memory {
 public:
  enum class kind { device, host };

  memory() = default;
  /// The back end `where` must outlive the memory.
  memory(backend& where, std::size_t bytes, kind at = kind::device)
      : where_(&where),
        at_(at),
        data_(at == kind::device ? where.allocate(bytes) : where.allocate_host(bytes)) {}
  memory(memory&& other) noexcept
      : where_(other.where_), at_(other.at_), data_(std::exchange(other.data_, nullptr)) {}
  memory& operator=(memory&& other) noexcept {
    std::swap(where_, other.where_);
    std::swap(at_, other.at_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~memory() {
    if (data_ == nullptr) return;
    at_ == kind::device ? where_->release(data_) : where_->release_host(data_);
  }

  void* data() const noexcept { return data_; }
  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(data_);
  }

 private:
  backend* where_ = nullptr;
  kind at_ = kind::device;
  void* data_ = nullptr;
};

}  // namespace onehop::device
