#pragma once

namespace onehop {

/// Work of a rank that goes on whenever the rank waits for anything, so that what others wait for
/// does not wait for it to ask.
class driven {
 public:
  virtual ~driven() = default;
  /// Goes as far as it can without waiting. False once there is nothing left that others wait for.
  virtual bool drive() = 0;
};

}  // namespace onehop
