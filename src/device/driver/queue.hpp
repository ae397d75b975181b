#pragma once
/// A queue makes copies of a device, in order, while the host goes on.

#include <cstddef>

#include "device/driver/device_kernels.hpp"
#include "device/driver/driver.hpp"

namespace onehop::device {

/// A device_view names blocks of a device's memory, each `stride_bytes` after the beginning of the
/// one before.
struct device_view {
  const std::byte* data;
  std::size_t block_bytes;
  std::ptrdiff_t stride_bytes;
  const device_kernels* gathered_by = nullptr;  ///< the kernels that gather, null for the device's
                                                ///< copy engine
};

/// A marker is a moment in the work of a queue.
class marker {
 public:
  /// The constructor throws resource_error, as everything here does where the driver fails.
  explicit marker(driver::context owner);

  /// Returns true once the work is done that the stream held when the marker was set last.
  bool reached() const;
  void set(driver::stream on);
  /// Orders what is enqueued on `stream` from now on after what the marker marks.
  void lead(driver::stream stream) const;

 private:
  owned<driver::event, &driver::destroy_event> event_;
};

/// A queue is a stream of its own, on which copies are enqueued and return at once.
class queue {
 public:
  explicit queue(driver::context owner);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  /// Orders what is enqueued from now on after what `moment` marks.
  void follow(const marker& moment) { moment.lead(stream_); }
  /// Copies `bytes` bytes of `source`, its blocks laid end to end, from byte `first` on, to pinned
  /// memory of the host.
  void bring_out(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to);
  /// Copies `bytes` bytes of `source` to memory of a device, this one or another that it reaches.
  void copy(const device_view& source, std::size_t bytes, std::byte* to);
  /// Copies from the host; `from` must stay as it is until the copy is done.
  void bring_in(std::byte* to, const std::byte* from, std::size_t bytes);
  /// Copies from the host to blocks of a device's memory, each `stride_bytes` after the beginning
  /// of the one before; the last one may be short.
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
