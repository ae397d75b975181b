#pragma once
/// The scheduler says which rank of a virtual machine runs, and lets the network go on when none of
/// them can.

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "netsim/engine/network.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

/// Ranks are ordinary programs with a stack of their own, in whatever language, threads of one
/// process or processes. One of them runs at a time, and only waits pass its turn on. Hence no lock
/// is needed, and the order of everything is that of the network's events, whatever the machine.
class scheduler {
 public:
  /// `failed` is told of an event that throws, in whichever thread it happens.
  scheduler(int ranks, netsim::network& network, std::function<void(const std::exception&)> failed);

  /// Returns virtual time, which is ahead of the network's by what was skipped when nothing was
  /// under way.
  picoseconds now() const noexcept { return network_.now() + skipped_; }

  /// Returns whose turn is next, and lets the network go on until there is one; -1 when all ranks
  /// have finished.
  int choose();

  /// Suspends the rank that runs: it has nothing to do before it is woken, or `until`. Returns
  /// false, with nothing changed, where that moment has come.
  bool suspend(int rank, picoseconds until);
  /// Defers the rank that runs, which has looked many times at something that has not come: the
  /// others have their turn.
  void defer(int rank);
  /// Retires a rank whose program is over.
  void retire(int rank);
  void wake(int rank);
  void wake_all();
  /// Counts the calls of wake for a rank, whatever it did then.
  std::uint64_t wakes(int rank) const { return ranks_[static_cast<std::size_t>(rank)].wakes; }

 private:
  enum class activity { ready, waiting, finished };
  struct member {
    activity now = activity::ready;
    picoseconds until = 0;  ///< end of a rank's wait
    bool looks_on = false;  ///< ready only to look again
    std::uint64_t wakes = 0;
  };

  member& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void advance();
  bool run_one();
  void wake_late();

  netsim::network& network_;
  std::function<void(const std::exception&)> failed_;
  picoseconds skipped_ = 0;
  picoseconds earliest_;  ///< no rank waits for an earlier moment
  int finished_ = 0;
  std::size_t lookers_ = 0;  ///< number of ready ranks that only look again
  std::vector<member> ranks_;
  std::deque<int> ready_;
};

}  // namespace onehop::virtual_machine
