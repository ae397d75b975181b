#pragma once
/// The flow_rates hold the flows under congestion control. A flow goes from one node to another and
/// is entered when one of its packets has been marked. A slowed flow keeps its messages, and hands
/// the first of them to its injector whenever the next packet is due.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/moving_message.hpp"
#include "netsim/engine/pool.hpp"
#include "netsim/machine/compiled_machine.hpp"
#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// A rate_law holds the congestion-control parameters that a flow_rate computes with.
struct rate_law {
  static constexpr int bits = 30;
  static constexpr std::uint64_t whole = std::uint64_t{1} << bits;  ///< represents 1

  rate_law() = default;
  /// Rates are fractions of `line` bytes per second.
  rate_law(const congestion_control& of, double line);

  std::uint64_t gain = 0, increase = 0;
  picoseconds estimate_timer = 1, increase_timer = 1;
  std::uint64_t increase_bytes = 1;
  std::uint32_t recovery_steps = 0;
};

/// A flow_rate is the rate at which a flow may send: DCQCN's reaction point (Zhu et al., SIGCOMM
/// 2015, section 3). It uses integers, so the result is the same on every computer, and is updated
/// only when it is read, so its timers create no events.
class flow_rate {
 public:
  /// Returns the fraction of the line rate, where rate_law::whole is the full rate, as of the last
  /// call of another member.
  [[nodiscard]] std::uint64_t share() const noexcept { return share_; }
  [[nodiscard]] bool is_limited() const noexcept { return share_ < rate_law::whole; }

  /// Handles a notification: the flow slows down by half of the estimated congestion.
  void cut(const rate_law& law, picoseconds now);
  /// Applies all timers that have expired by now.
  void advance(const rate_law& law, picoseconds now);
  /// Counts bytes that the flow sends.
  void sent(const rate_law& law, std::uint64_t bytes);

 private:
  void raise(const rate_law& law);

  std::uint64_t share_ = rate_law::whole, goal_ = rate_law::whole;
  std::uint64_t estimate_ = rate_law::whole;        // estimated path congestion, alpha of the paper
  std::uint64_t bytes_ = 0;                         // sent since the last rise triggered by bytes
  picoseconds estimated_ = never, raised_ = never;  // start times of the two timers
  std::uint32_t rises_by_time_ = 0, rises_by_bytes_ = 0;
};

class flow_rates {
 public:
  flow_rates(const compiled_machine& machine, event_queue& events, pool<moving_message>& moving);

  /// Records that a marked packet of a message reaches its target at `at`. Unless the target has
  /// notified this flow recently, the origin learns of it after the return time on an idle network.
  void note_mark(const moving_message& of, picoseconds at);
  /// Slows down a flow whose origin learns of marks now.
  void notify(std::uint32_t index);

  /// Keeps the message that the injector would serve next if its flow is slowed down. Returns
  /// whether it was kept.
  bool keep(std::uint32_t message);
  /// Returns whether a flow is still slowed down.
  bool is_limited(std::uint32_t index);
  /// Returns the message of a flow whose next packet is due; the message stays with the flow.
  [[nodiscard]] std::uint32_t first(std::uint32_t index) const { return flows_[index].first; }
  /// Returns one message of a recovered flow per call, and no_index when none is left.
  std::uint32_t give_back(std::uint32_t index);
  /// Records that a packet of the message first() was made, with `bytes` on the link.
  void sent(std::uint32_t message, std::uint64_t bytes);

  /// Adds the counts of all flows to a sum.
  void count(run_account& sum) const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct flow {
    flow_rate rate;
    picoseconds next = 0;         // when its next packet may leave
    picoseconds next_notice = 0;  // when its target may notify again
    picoseconds way_back = 0;
    std::uint32_t fabric = 0;
    std::uint32_t first = no_index;  // message whose next packet is due at `next`
    pool_queue behind;               // messages behind it
  };

  [[nodiscard]] std::uint64_t name_of(const moving_message& of) const;
  std::uint32_t find_or_add(const moving_message& of);
  [[nodiscard]] picoseconds way_back(const moving_message& of) const;
  void advance(flow& one) { one.rate.advance(laws_[one.fabric], events_.now()); }
  void go_to_next(flow& one);

  const compiled_machine& machine_;
  event_queue& events_;
  pool<moving_message>& moving_;
  std::vector<rate_law> laws_;  // by fabric
  std::vector<flow> flows_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::uint64_t marks_ = 0, notifications_ = 0;
};

}  // namespace onehop::netsim
