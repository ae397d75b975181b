#pragma once
#include <cstdint>

#include "machine/ticks.hpp"

namespace onehop::stores {

/// A first_look keeps a rank from looking at a line before it can have been written.
///
/// Ranks that exchange lines arrive at about the same time. A rank that looks at once takes the
/// line from the other, which must fetch it back before it can write: two more transfers. The first
/// look is therefore delayed after the rank's own store until the other's store is over. If the
/// rank does other work in between, the delay costs nothing.
class first_look {
 public:
  first_look() = default;
  explicit first_look(std::uint64_t ticks_before) : before_(ticks_before) {}

  /// Begins the delay, once the line that the others look at has been stored.
  void begin() noexcept {
    waits_ = before_ != 0;
    if (waits_) begun_ = ticks();
  }
  /// Returns whether it is now worth looking.
  bool over() noexcept {
    // If the counters of cores differ, the difference is still right, or far too large.
    if (waits_ && ticks() - begun_ >= before_) waits_ = false;
    return !waits_;
  }

 private:
  std::uint64_t before_ = 0, begun_ = 0;
  bool waits_ = false;
};

}  // namespace onehop::stores
