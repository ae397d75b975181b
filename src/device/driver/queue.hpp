#pragma once
/// Copies of a device, in order, while the host goes on.

#include <cstddef>

#include "device/driver/device_kernels.hpp"
#include "device/driver/driver.hpp"

namespace onehop::device {

/// Blocks of a device's memory, from the beginning of one to that of the next `stride_bytes`.
struct device_view {
  const std::byte* data;
  std::size_t block_bytes;
  std::ptrdiff_t stride_bytes;
  const device_kernels* gathered_by = nullptr;  ///< null for the device's copy engine
};

/// A moment in the work of a queue.
class marker {
 public:
  /// Throws resource_error, as everything here does where the driver fails.
  explicit marker(driver::context owner);
  marker(marker&& other) noexcept;
  marker& operator=(marker&&) = delete;
  ~marker();

  /// True once the work is done that the stream held when this was set last.
  bool reached() const;
  void set(driver::stream on);
  /// What is enqueued on `stream` from now on comes after what this marks.
  void lead(driver::stream stream) const;
  driver::event get() const noexcept { return event_; }

 private:
  driver::context owner_;
  driver::event event_ = nullptr;
};

/// A stream of its own, on which copies are enqueued and return at once.
class queue {
 public:
  explicit queue(driver::context owner);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  /// What is enqueued from now on comes after what `moment` marks.
  void follow(const marker& moment) { moment.lead(stream_); }
  /// `bytes` of `source`, its blocks laid end to end, from byte `first` on, to pinned memory of the
  /// host.
  void bring_out(const device_view& source, std::size_t first, std::size_t bytes, std::byte* to);
  /// Copies rows to memory of a device, this one or another that it reaches.
  void copy(const device_view& source, std::size_t bytes, std::byte* to);
  /// Copies from the host; `from` must stay as it is until this is done.
  void bring_in(std::byte* to, const std::byte* from, std::size_t bytes);
  void mark(marker& moment) { moment.set(stream_); }
  /// Waits on the host until all is done.
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
