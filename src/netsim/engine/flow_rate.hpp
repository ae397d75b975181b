#pragma once
/// A flow_rate is the rate at which a flow may send: DCQCN's reaction point (Zhu et al., SIGCOMM
/// 2015, section 3). It computes in whole numbers, so that it is the same on every computer, and
/// only when it is looked at: timers make no events.

#include <cstdint>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// A rate_law has the numbers of a congestion control that a flow_rate computes with.
struct rate_law {
  static constexpr int bits = 30;
  static constexpr std::uint64_t whole = std::uint64_t{1} << bits;  ///< stands for 1

  rate_law() = default;
  /// Rates are shares of `line` bytes per second.
  rate_law(const congestion_control& of, double line);

  std::uint64_t gain = 0, increase = 0;
  picoseconds estimate_timer = 1, increase_timer = 1;
  std::uint64_t increase_bytes = 1;
  std::uint32_t recovery_steps = 0;
};

class flow_rate {
 public:
  /// Returns the share of the line's rate, rate_law::whole for all of it, as of the last call of
  /// another member.
  [[nodiscard]] std::uint64_t share() const noexcept { return share_; }
  [[nodiscard]] bool is_limited() const noexcept { return share_ < rate_law::whole; }

  /// A notification has come: the flow slows down by half of the estimated congestion.
  void cut(const rate_law& law, picoseconds now);
  /// Lets the timers run that have ended by now.
  void advance(const rate_law& law, picoseconds now);
  /// Counts bytes that the flow sends.
  void sent(const rate_law& law, std::uint64_t bytes);

 private:
  void raise(const rate_law& law);

  std::uint64_t share_ = rate_law::whole, goal_ = rate_law::whole;
  std::uint64_t estimate_ = rate_law::whole;        // how congested the way is, alpha of the paper
  std::uint64_t bytes_ = 0;                         // since the last rise by bytes
  picoseconds estimated_ = never, raised_ = never;  // when their timers were started
  std::uint32_t rises_by_time_ = 0, rises_by_bytes_ = 0;
};

}  // namespace onehop::netsim
