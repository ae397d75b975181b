#include "measure/rotation.hpp"

#include <algorithm>
#include <cstdint>

namespace onehop::measure {
namespace {

// Buffers are aligned to two cache lines, since processors fetch lines in pairs.
constexpr std::size_t alignment = 128;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t rotation::copies(std::size_t bytes, std::size_t total_bytes, std::size_t most) {
  const std::size_t stride = std::max(aligned(bytes), alignment);
  return std::clamp<std::size_t>((total_bytes + stride - 1) / stride, 1,
                                 std::max<std::size_t>(most, 1));
}

rotation::rotation(std::size_t bytes, std::size_t total_bytes, std::size_t most)
    : bytes_(bytes),
      stride_(std::max(aligned(bytes), alignment)),
      count_(copies(bytes, total_bytes, most)),
      memory_(count_ * stride_ + alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  padding_ = aligned(address) - address;
}

}  // namespace onehop::measure
