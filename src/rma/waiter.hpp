#pragma once
/// How every wait of onehop waits: it lets the transport pass the time, and never waits for ever.

#include <functional>
#include <onehop/context.hpp>
#include <string>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop {

/// Something that has not come yet and whom it should come from.
struct missing_piece {
  int rank;
  std::string what;
};
struct wait_report {
  std::string activity;  ///< "in a barrier"
  std::vector<missing_piece> missing;
};

class waiter {
 public:
  explicit waiter(const context& ctx);

  /// Polls the transport and lets some time pass, longer from turn to turn. Returns true when it is
  /// time to look around: as often as the transport wants it, and at the deadline.
  bool pass();
  /// Throws peer_error when a rank that is waited for has left or died, timeout_error at the
  /// deadline. `report` tells what is waited for at the moment of the call.
  void look_around(const std::function<wait_report()>& report);

 private:
  const context& ctx_;
  int turn_ = 0;
  clock::time_point begin_, next_look_;
};

/// Returns when `done()` does. `report()` gives what a wait in vain says:
/// "rank 0 of 2 waited 2 s <activity>: <what>; <what> ...".
///
/// Looks a few times before it begins to count time: what a core nearby sends is here sooner than a
/// clock is read or a pause is over. Not where the sender may be waiting for this very core.
template <class Done, class Report>
void wait_until(const context& ctx, Done&& done, Report&& report) {
  if (done()) return;
  transport& via = transport_of(ctx);
  const int eager_looks = via.crowded() ? 0 : 50;
  for (int look = 0; look < eager_looks; ++look) {
    via.progress();
    if (done()) return;
  }
  waiter patience(ctx);
  while (!done())
    if (patience.pass()) patience.look_around(report);
}

}  // namespace onehop
