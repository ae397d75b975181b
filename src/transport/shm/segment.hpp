#pragma once
/// A segment is the shared memory of one job: a file in /dev/shm without a name.

#include <memory>
#include <onehop/launch.hpp>
#include <string_view>

#include "transport/stores/control_block.hpp"

namespace onehop::shm {

/// Makes the segment of a job as onehop::create_segment does. Each rank has a ring of `ring_bytes`
/// for its messages. `head` zeroed bytes lie between the control block and the memory for windows,
/// and `tail` bytes at the end use no memory before they are reserved.
int create_segment(int ranks, std::size_t ring_bytes, std::size_t head, std::size_t tail);

/// A segment_mapping maps a whole segment as long as it lives.
class segment_mapping {
 public:
  /// The constructor throws usage_error if the descriptor is not a segment of this version, and
  /// resource_error if it cannot be mapped. It keeps a descriptor of its own.
  explicit segment_mapping(int fd);
  ~segment_mapping();
  segment_mapping(const segment_mapping&) = delete;
  segment_mapping& operator=(const segment_mapping&) = delete;

  int fd() const noexcept { return fd_; }
  std::byte* base() const noexcept { return base_; }
  std::size_t bytes() const noexcept { return bytes_; }
  stores::control_block& control() const noexcept {
    return *reinterpret_cast<stores::control_block*>(base_);
  }

 private:
  void check() const;

  int fd_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

inline constexpr std::string_view space_advice =
    "take a smaller problem or fewer ranks, or enlarge it "
    "(docker run --shm-size 8g; mount -o remount,size=8g /dev/shm)";

/// Reserves pages of a segment, so that touching them cannot fail. If there are too few, returns
/// what it got and throws resource_error saying how much is wanted and free.
void reserve_pages(int fd, std::size_t offset, std::size_t bytes);
void release_pages(int fd, std::size_t offset, std::size_t bytes) noexcept;

}  // namespace onehop::shm
