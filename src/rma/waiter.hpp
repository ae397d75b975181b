#pragma once
/// Every blocking call uses a waiter to wait for its condition or for the deadline.

#include <functional>
#include <onehop/context.hpp>
#include <string>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop {

/// A missing_piece is something that has not come yet, with the rank from which it should come.
struct missing_piece {
  int rank;
  std::string what;
};
struct wait_report {
  std::string activity;  ///< what the rank was doing: "in a barrier"
  std::vector<missing_piece> missing;
};

class waiter {
 public:
  explicit waiter(const context& ctx);

  /// Lets some time pass, longer with every call. Returns true when it is time to look around: at
  /// the transport's intervals, and at the deadline.
  bool pass();
  /// Makes the next pauses as short as at the beginning of the wait; the deadline stays.
  void begin_again() noexcept { turn_ = 0; }
  /// Throws peer_error if a rank that is waited for has left or died, and timeout_error at the
  /// deadline. `report` tells what is being waited for at the moment of the call.
  void look_around(const std::function<wait_report()>& report);

 private:
  const context& ctx_;
  int turn_ = 0;
  clock::time_point begin_, next_look_;
};

/// Returns once `done()` is true. `report()` gives the message of a wait that failed: "rank 0 of 2
/// waited 2 s <activity>: <what>; <what> ...".
///
/// It looks a few times before it begins to count time, because bytes from a core nearby arrive
/// sooner than a clock is read or a pause ends. It does not do so if the sender may be waiting for
/// this very core. `pass(waiter)` lets some time pass between two looks, and returns the result of
/// waiter.pass().
template <class Done, class Pass, class Report>
void wait_until(const context& ctx, Done&& done, Pass&& pass, Report&& report) {
  if (done()) return;
  transport& via = transport_of(ctx);
  const int eager_looks = via.crowded() ? 0 : 50;
  for (int look = 0; look < eager_looks; ++look) {
    via.progress();
    if (done()) return;
  }
  waiter patience(ctx);
  while (!done()) {
    via.progress();
    if (pass(patience)) patience.look_around(report);
  }
}

template <class Done, class Report>
void wait_until(const context& ctx, Done&& done, Report&& report) {
  wait_until(
      ctx, done, [](waiter& patience) { return patience.pass(); }, report);
}

}  // namespace onehop
