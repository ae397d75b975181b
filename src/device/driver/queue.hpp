#pragma once
/// A queue performs copies of a device, in order, while the host continues.

#include <cstddef>

#include "device/driver/device_kernels.hpp"
#include "device/driver/driver.hpp"

namespace onehop::device {

/// A device_view describes blocks of device memory, each `stride_bytes` after the beginning of the
/// previous one.
struct device_view {
  const std::byte* data;
  std::size_t block_bytes;
  std::ptrdiff_t stride_bytes;
  const device_kernels* gathered_by = nullptr;  ///< the kernels that gather; null for the device's
                                                ///< copy engine
};

/// A marker marks a point in the work of a queue.
class marker {
 public:
  /// The constructor throws resource_error, like everything here, if the driver fails.
  explicit marker(driver::context owner);

  /// Returns true once all work is done that the stream held when the marker was last set.
  bool reached() const;
  void set(driver::stream on);
  /// Makes everything enqueued on `stream` from now on wait for the marked work.
  void lead(driver::stream stream) const;

 private:
  owned<driver::event, &driver::destroy_event> event_;
};

/// A queue has its own stream; its copies are enqueued and return at once.
class queue {
 public:
  explicit queue(driver::context owner);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  /// Makes everything enqueued from now on wait for the work marked by `moment`.
  void follow(const marker& moment) { moment.lead(stream_); }
  /// Copies `bytes` bytes of `source`, with its blocks concatenated, from byte `first` on, to
  /// pinned host memory.
  void bring_out(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to);
  /// Copies `bytes` bytes of `source` to memory of this device or of another that it can reach.
  void copy(const device_view& source, std::size_t bytes, std::byte* to);
  /// Copies from the host; `from` must stay unchanged until the copy is done.
  void bring_in(std::byte* to, const std::byte* from, std::size_t bytes);
  /// Copies from the host to blocks of device memory, each `stride_bytes` after the beginning of
  /// the previous one; the last block may be short.
  void bring_in(std::byte* to, std::size_t block_bytes, std::ptrdiff_t stride_bytes,
                const std::byte* from, std::size_t bytes);
  void mark(marker& moment) { moment.set(stream_); }
  /// Waits on the host until all copies are done.
  void finish();
  driver::stream get() const noexcept { return stream_; }

 private:
  enum class side { host, device };
  bool gather(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to);
  void lay_out(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to,
               side where);

  const driver& driver_;
  driver::context owner_;
  driver::stream stream_ = nullptr;
};

}  // namespace onehop::device
