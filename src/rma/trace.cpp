#include <onehop/trace.hpp>

#include "transport/base/clock.hpp"

namespace onehop {

std::int64_t trace::now_ns() const noexcept {
  const auto now = clock_ ? clock_->now() : std::chrono::steady_clock::now();
  return now.time_since_epoch() / std::chrono::nanoseconds(1);
}

trace::trace(std::size_t capacity) { events_.reserve(capacity); }

}  // namespace onehop
