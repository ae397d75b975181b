#pragma once
#include <cstdint>

#include "machine/ticks.hpp"

namespace onehop::stores {

/// A first_look keeps a rank from looking at a line before it can have been written.
///
/// Ranks that exchange lines come at about the same time. A rank that looks at once takes the line
/// from the other, which has to fetch it back before it can write: two more transfers. So the first
/// look comes so long after the rank's own store that the other's store is over by then; where the
/// rank does other work in between the delay costs nothing.
class first_look {
 public:
  first_look() = default;
  explicit first_look(std::uint64_t ticks_before) : before_(ticks_before) {}

  /// Begins the delay, once the line that the others look at has been stored.
  void begin() noexcept {
    waits_ = before_ != 0;
    if (waits_) begun_ = ticks();
  }
  /// Returns whether looks are worth while by now.
  bool over() noexcept {
    // The difference is right, or far too large, also where the counters of cores differ.
    if (waits_ && ticks() - begun_ >= before_) waits_ = false;
    return !waits_;
  }

 private:
  std::uint64_t before_ = 0, begun_ = 0;
  bool waits_ = false;
};

}  // namespace onehop::stores
