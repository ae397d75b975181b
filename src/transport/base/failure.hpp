#pragma once
/// How the ranks of a job hear of each other's end. Nothing here blocks.

#include <string_view>

namespace onehop {

class failure {
 public:
  virtual ~failure();

  /// Drives transfers and throws peer_error when a rank gave up. It is cheap, for every turn of
  /// every wait calls it.
  virtual void poll() = 0;
  /// Throws peer_error when a rank died without a word. It is slow: a wait calls it at each look.
  virtual void probe() = 0;
  /// A wait of this rank was in vain, for what `report` says in one line, so at its end the rank
  /// must not wait for the others for ever.
  virtual void timed_out(std::string_view /*report*/) noexcept {}
  /// The rank left the job in good order; all that it ever sent is visible after this said so.
  virtual bool left(int rank) const noexcept = 0;
  /// Makes poll throw on every rank, with this rank's reason. The first reason of a job stays.
  virtual void abandon(std::string_view reason) noexcept = 0;
  /// After abandon: the reason that stays is this rank's. Where a launcher asks the ranks for their
  /// reasons and chooses one, each may say so.
  virtual bool failed_first() const noexcept { return true; }
};

}  // namespace onehop
