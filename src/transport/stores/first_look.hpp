#pragma once
#include <cstdint>

#include "machine/ticks.hpp"

namespace onehop::stores {

/// Keeps a rank from looking at a line before it can have been written.
///
/// Ranks that exchange lines come at about the same time. Who looks at once takes the line from the
/// other, which has to fetch it back before it can write: two more transfers. So the first look
/// comes as late after the own store as the other's needs to be over; where the rank does other
/// work in between it costs nothing.
class first_look {
 public:
  first_look() = default;
  explicit first_look(std::uint64_t ticks_before) : before_(ticks_before) {}

  /// What the others look at has been stored.
  void begin() noexcept {
    waits_ = before_ != 0;
    if (waits_) begun_ = ticks();
  }
  /// From here on looks are worth while.
  bool over() noexcept {
    // The difference is right, or far too large, also where cores count differently.
    if (waits_ && ticks() - begun_ >= before_) waits_ = false;
    return !waits_;
  }

 private:
  std::uint64_t before_ = 0, begun_ = 0;
  bool waits_ = false;
};

}  // namespace onehop::stores
