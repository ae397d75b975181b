#pragma once
/// A program's buffers may be in the memory of CUDA devices, which the host cannot access. Their
/// bytes are copied through host memory.
///
/// Before the program passes such a buffer to a function of MPI, it must complete its own work on
/// the buffer. Received data are visible to every stream as soon as MPI says that they have
/// arrived.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "device/driver/host_memory.hpp"
#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

/// Returns whether the elements at `buffer` are in a device's memory. Managed memory, which the
/// driver moves itself, counts as host memory. Throws mpi_error for device memory in virtual time.
bool on_device(const datatype& type, const void* buffer);

/// Returns whether any number of elements at `buffer` is one run of bytes that the host can access.
inline bool is_run_of_host(const datatype& type, const void* buffer) {
  return type.contiguous() && !on_device(type, buffer);
}

/// Do the same as datatype::pack and datatype::unpack for elements on a device. They leave gaps
/// between elements unchanged, and throw resource_error if the driver fails.
void pack_on_device(const datatype& type, const void* buffer, std::size_t count, std::byte* packed);
void unpack_on_device(const datatype& type, std::span<const std::byte> packed, void* buffer);

/// A staging is pinned host memory for bytes that are copied from or to a device. Its memory is
/// kept for reuse, since pinning memory takes longer than copying it.
class staging {
 public:
  staging() = default;
  /// Allocates space for `bytes` bytes of elements at `buffer`, which are on a device.
  staging(const datatype& type, const void* buffer, std::size_t bytes);
  staging(staging&& other) noexcept { *this = std::move(other); }
  staging& operator=(staging&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~staging() {
    if (block_) give_back();
  }

  std::byte* data() const noexcept { return block_ ? block_->memory.get() : nullptr; }

  /// A block consists of whole pages that are pinned together. Other processes can read it.
  struct block {
    struct deleter {
      void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, deleter> memory;
    std::size_t bytes;
    device::pinned_pages pinned;  ///< must be destroyed before its pages
  };

 private:
  void give_back() noexcept;

  std::unique_ptr<block> block_;
};

/// Frees the streams and the memory that copies have used.
void forget_devices();

}  // namespace onehop::mpi_abi
