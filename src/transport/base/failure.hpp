#pragma once
/// The ranks of a job hear of each other's end through a `failure`. Nothing here blocks.

#include <string_view>

namespace onehop {

class failure {
 public:
  virtual ~failure();

  /// Drives transfers and throws peer_error when a rank gave up. It is cheap, since every turn of
  /// every wait calls it.
  virtual void poll() = 0;
  /// Throws peer_error when a rank died without saying why. It is slow: a wait calls it at each
  /// look.
  virtual void probe() = 0;
  /// Notes that a wait of this rank reached its deadline, for what `report` says in one line, so
  /// that the rank does not wait for the others for ever when it ends.
  virtual void timed_out(std::string_view /*report*/) noexcept {}
  /// Returns whether the rank left the job in good order; all that it ever sent is visible once
  /// this says so.
  virtual bool left(int rank) const noexcept = 0;
  /// Makes poll throw on every rank, with this rank's reason. The first reason of a job is kept.
  virtual void abandon(std::string_view reason) noexcept = 0;
  /// Returns, after abandon, whether the reason that is kept is this rank's. Where a launcher
  /// collects the reasons and chooses one, each rank may say so.
  virtual bool failed_first() const noexcept { return true; }
};

}  // namespace onehop
