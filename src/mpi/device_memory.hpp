#pragma once
/// Buffers of a program may lie in memory of CUDA devices, which the host does not reach. Their
/// bytes go through memory of the host.
///
/// The program has done what it does with such a buffer on its streams before it gives it to a
/// function of MPI; what has come is there for any stream once the function says so.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "device/driver/host_memory.hpp"
#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

/// Returns whether elements that begin at `buffer` lie in a device's memory. That which the driver
/// moves itself (managed) is the host's. Throws mpi_error for a device's memory in virtual time.
bool on_device(const datatype& type, const void* buffer);

/// Returns whether any number of elements there is one run of bytes that the host reaches.
inline bool is_run_of_host(const datatype& type, const void* buffer) {
  return type.contiguous() && !on_device(type, buffer);
}

/// Do what datatype::pack and datatype::unpack do, with elements on a device. Gaps between them are
/// not touched. Throw resource_error where the driver fails.
void pack_on_device(const datatype& type, const void* buffer, std::size_t count, std::byte* packed);
void unpack_on_device(const datatype& type, std::span<const std::byte> packed, void* buffer);

/// A staging is pinned memory of the host for bytes of a device on their way. What one has had is
/// kept for others, since to pin memory takes longer than to copy it.
class staging {
 public:
  staging() = default;
  /// Makes room for bytes of elements at `buffer`, which lie on a device.
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

  /// A block is whole pages that are pinned together; other processes can read them.
  struct block {
    struct deleter {
      void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, deleter> memory;
    std::size_t bytes;
    device::pinned_pages pinned;  ///< goes before its pages
  };

 private:
  void give_back() noexcept;

  std::unique_ptr<block> block_;
};

/// Gives back the streams and the memory that copies have used.
void forget_devices();

}  // namespace onehop::mpi_abi
