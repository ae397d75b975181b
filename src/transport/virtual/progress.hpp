#pragma once
/// Lets one rank of a virtual machine run at a time, and the network go on when none of them can.

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "machine/baton.hpp"
#include "netsim/engine/network.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

/// Ranks are threads that pass a baton, so that each is an ordinary program with a stack of its own
/// in whatever language; only its holder runs, and only waits pass it on. Hence no lock anywhere,
/// and the order of everything is that of the network's events, whatever the machine.
class scheduler {
 public:
  /// `failed` is told of an event that throws, in whoever's thread it happens.
  scheduler(int ranks, netsim::network& network, std::function<void(const std::exception&)> failed);

  /// Virtual time. Ahead of the network's by what was skipped when nothing was under way.
  picoseconds now() const noexcept { return network_.now() + skipped_; }

  /// First call of a rank's thread: waits for the baton. False when there will be no run.
  bool enter(int rank);
  /// Last call of a rank's thread.
  void finish(int rank);
  /// Called by no rank, once every thread has been started or one could not be.
  void begin();
  void cancel();

  /// The rank has nothing to do before it is woken, or `until`.
  void wait(int rank, picoseconds until);
  /// The rank looks at something that has not come: after many looks the others have their turn.
  void look(int rank);
  void wake(int rank);
  void wake_all();

 private:
  enum class activity { ready, waiting, finished };
  struct member {
    activity now = activity::ready;
    picoseconds until = 0;  ///< of a rank that waits
    int looks = 0;          ///< since it last waited
    bool looks_on = false;  ///< ready only to look again
    onehop::baton baton;
  };

  member& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  /// The next to go on; -1 when all have finished.
  int choose();
  void advance();
  bool run_one();
  void wake_late();
  void pass_on(int rank);

  netsim::network& network_;
  std::function<void(const std::exception&)> failed_;
  picoseconds skipped_ = 0;
  picoseconds earliest_;  ///< no rank waits for an earlier moment
  bool cancelled_ = false;
  int finished_ = 0;
  std::size_t lookers_ = 0;  ///< among those that are ready
  std::deque<member> ranks_;
  std::deque<int> ready_;
};

}  // namespace onehop::virtual_machine
