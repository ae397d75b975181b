#pragma once
/// Through a `failure`, the ranks of a job learn how the others ended. Nothing here blocks.

#include <string_view>

namespace onehop {

class failure {
 public:
  virtual ~failure();

  /// Drives transfers, and throws peer_error if a rank gave up. It must be cheap, because every
  /// turn of every wait calls it.
  virtual void poll() = 0;
  /// Throws peer_error if a rank died without saying why. It is slow, and a wait calls it only at
  /// each look around.
  virtual void probe() = 0;
  /// Notes that a wait of this rank reached its deadline; `report` says in one line what it waited
  /// for. A rank that ends then does not wait for the others for ever.
  virtual void timed_out(std::string_view /*report*/) noexcept {}
  /// Returns whether the rank left the job in good order. Once this returns true, everything that
  /// the rank ever sent is visible.
  virtual bool left(int rank) const noexcept = 0;
  /// Makes poll throw on every rank with this rank's reason. Only the first reason of a job is
  /// kept.
  virtual void abandon(std::string_view reason) noexcept = 0;
  /// Returns, after abandon, whether this rank's reason is the one that is kept. If a launcher
  /// collects the reasons and chooses one, every rank may return true.
  virtual bool failed_first() const noexcept { return true; }
};

}  // namespace onehop
