#pragma once
/// A rotation uses buffers in turn, enough of them to exceed the caches together.

#include <cstddef>
#include <span>
#include <vector>

namespace onehop::measure {

class rotation {
 public:
  /// The constructor makes as many buffers of `bytes` as fit in `total_bytes`, at least one and at
  /// most `most`, aligned to cache lines, with their pages touched.
  rotation(std::size_t bytes, std::size_t total_bytes, std::size_t most = 4096);

  std::size_t count() const noexcept { return count_; }
  std::span<std::byte> operator[](std::size_t index) noexcept {
    return {memory_.data() + padding_ + index * stride_, bytes_};
  }

  /// Returns how many buffers the constructor makes.
  static std::size_t copies(std::size_t bytes, std::size_t total_bytes, std::size_t most);

 private:
  std::size_t bytes_, stride_, count_, padding_;
  std::vector<std::byte> memory_;
};

}  // namespace onehop::measure
