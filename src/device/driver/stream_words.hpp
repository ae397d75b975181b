#pragma once
/// Words of memory that streams write and wait for, while the host goes on.

#include <cstdint>
#include <string>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// Stream memory operations of one context.
class stream_words {
 public:
  explicit stream_words(driver::context owner);

  /// Why streams of this device cannot do it; empty where they can.
  const std::string& problem() const noexcept { return problem_; }
  /// Once all that `on` holds is done and visible to whoever sees the value.
  void write(driver::stream on, std::byte* word, std::uint32_t value) const;
  /// What is enqueued on `on` from now on waits until `word` has this very value, and then sees
  /// what was written before it. `word` lies in memory of this device.
  void await(driver::stream on, const std::byte* word, std::uint32_t value) const;

 private:
  const driver& driver_;
  driver::context owner_;
  std::string problem_;
  unsigned wait_flags_;
};

}  // namespace onehop::device
