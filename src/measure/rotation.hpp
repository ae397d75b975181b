#pragma once
/// Buffers used in turns, so many that together they exceed the caches.

#include <cstddef>
#include <span>
#include <vector>

namespace onehop::measure {

class rotation {
 public:
  /// As many buffers of `bytes` as make `total_bytes`, at least one, at most `most`; line aligned,
  /// their pages touched.
  rotation(std::size_t bytes, std::size_t total_bytes, std::size_t most = 4096);

  std::size_t count() const noexcept { return count_; }
  std::span<std::byte> operator[](std::size_t index) noexcept {
    return {memory_.data() + padding_ + index * stride_, bytes_};
  }

  /// This is how many buffers there are.
  static std::size_t copies(std::size_t bytes, std::size_t total_bytes, std::size_t most);

 private:
  std::size_t bytes_, stride_, count_, padding_;
  std::vector<std::byte> memory_;
};

}  // namespace onehop::measure
