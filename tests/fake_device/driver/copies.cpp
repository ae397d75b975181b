// Streams hold these copies.

#include <cstring>

#include "fake_device/driver/state.hpp"

namespace fake_driver {
namespace {

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
  if (to == nullptr || from == nullptr) return invalid_value;
  ++state().found.copies;
  issue(stream, [=] {
    std::memcpy(to, from, bytes);
    return true;
  });
  return success;
}

/// This is CUDA_MEMCPY2D of cuda.h.
struct rows {
  std::size_t source_x, source_y;
  unsigned source_type;
  const void* source_host;
  address source;
  void* source_array;
  std::size_t source_pitch;
  std::size_t target_x, target_y;
  unsigned target_type;
  void* target_host;
  address target;
  void* target_array;
  std::size_t target_pitch;
  std::size_t width, height;
};

}  // namespace
}  // namespace fake_driver

using namespace fake_driver;

extern "C" {

int cuMemcpyDtoHAsync_v2(void* to, address from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  return copy(to, alias_of(from, bytes), bytes, stream);
}
int cuMemcpyHtoDAsync_v2(address to, const void* from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  return copy(alias_of(to, bytes), from, bytes, stream);
}
int cuMemcpyAsync(address to, address from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  return copy(alias_of(to, bytes), alias_of(from, bytes), bytes, stream);
}
int cuMemcpy2DAsync_v2(const rows* copied, void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (copied->width > copied->source_pitch || copied->width > copied->target_pitch)
    return invalid_value;
  ++state().found.rows;
  constexpr unsigned of_host = 1;
  for (std::size_t row = 0; row < copied->height; ++row) {
    const std::size_t behind = row * copied->source_pitch, ahead = row * copied->target_pitch;
    const char* const from = copied->source_type == of_host
                                 ? static_cast<const char*>(copied->source_host) + behind
                                 : alias_of(copied->source + behind, copied->width);
    char* const to = copied->target_type == of_host
                         ? static_cast<char*>(copied->target_host) + ahead
                         : alias_of(copied->target + ahead, copied->width);
    if (const int refused = copy(to, from, copied->width, stream)) return refused;
  }
  return success;
}

}  // extern "C"
