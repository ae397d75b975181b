#pragma once
/// Stream words are memory words that streams write and wait for, while the host continues.

#include <cstdint>
#include <string>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// stream_words provides the stream memory operations of one context.
class stream_words {
 public:
  explicit stream_words(driver::context owner);

  /// Returns why streams of this device cannot do this; empty if they can.
  const std::string& problem() const noexcept { return problem_; }
  /// Writes the value once all present work of `on` is done and visible to any reader of the value.
  void write(driver::stream on, std::byte* word, std::uint32_t value) const;
  /// Makes everything enqueued on `on` from now on wait until `word` has exactly this value; it
  /// then sees what was written before the value. `word` lies in memory of this device.
  void await(driver::stream on, const std::byte* word, std::uint32_t value) const;

 private:
  const driver& driver_;
  driver::context owner_;
  std::string problem_;
  unsigned wait_flags_;
};

}  // namespace onehop::device
