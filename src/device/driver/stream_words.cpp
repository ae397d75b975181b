#include "device/driver/stream_words.hpp"

#include "device/driver/report.hpp"

namespace onehop::device {
namespace {

/// Writes come after a system-wide fence unless a flag says otherwise.
constexpr unsigned write_after_fence = 0;
constexpr unsigned wait_equal = 1;
/// A wait with this flag also makes visible earlier writes that came by another path.
constexpr unsigned wait_then_flush = 1U << 30;

}  // namespace

stream_words::stream_words(driver::context owner)
    : driver_(*driver::loaded()), owner_(owner), wait_flags_(wait_equal) {
  const entered inside(driver_, owner_);
  int device = 0;
  driver_.require(driver_.context_device(&device), "cuCtxGetDevice");
  const word_operations can = word_operations_of(driver_, device);
  if (!can.write_and_wait) problem_ = "its device has no stream memory operations";
  if (can.flush) wait_flags_ |= wait_then_flush;
}

void stream_words::write(driver::stream on, std::byte* word, std::uint32_t value) const {
  const entered inside(driver_, owner_);
  driver_.require(
      driver_.write_word(on, reinterpret_cast<driver::address>(word), value, write_after_fence),
      "cuStreamWriteValue32");
}

void stream_words::await(driver::stream on, const std::byte* word, std::uint32_t value) const {
  const entered inside(driver_, owner_);
  driver_.require(
      driver_.wait_word(on, reinterpret_cast<driver::address>(word), value, wait_flags_),
      "cuStreamWaitValue32");
}

}  // namespace onehop::device
