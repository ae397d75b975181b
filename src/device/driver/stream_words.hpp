#pragma once
/// Stream words are words of memory that streams write and wait for, while the host goes on.

#include <cstdint>
#include <string>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// stream_words has the stream memory operations of one context.
class stream_words {
 public:
  explicit stream_words(driver::context owner);

  /// Returns why streams of this device cannot do it; empty where they can.
  const std::string& problem() const noexcept { return problem_; }
  /// Writes the value once all that `on` holds now is done and visible to whoever sees the value.
  void write(driver::stream on, std::byte* word, std::uint32_t value) const;
  /// Lets what is enqueued on `on` from now on wait until `word` has exactly this value; it then
  /// sees what was written before the value. `word` lies in memory of this device.
  void await(driver::stream on, const std::byte* word, std::uint32_t value) const;

 private:
  const driver& driver_;
  driver::context owner_;
  std::string problem_;
  unsigned wait_flags_;
};

}  // namespace onehop::device
