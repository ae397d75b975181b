#pragma once
/// This class starts messages, serves them in the per-message stages before their packets at the
/// origin and after them at the target, and reports both their ends to the listener.

#include <cstdint>
#include <vector>

#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/injectors.hpp"
#include "netsim/engine/message.hpp"
#include "netsim/engine/pool.hpp"
#include "netsim/engine/servers.hpp"

namespace onehop::netsim {

class messages final : public read_listener {
 public:
  messages(const compiled_machine& machine, event_queue& events, pool<moving_message>& moving,
           servers& all_servers, injectors& to_fabric, listener& hears);

  /// Starts a message now. Throws usage_error like network::post.
  void start(const message& what);
  /// Takes a message that reached its next stage at `came`.
  void step(std::uint32_t index, picoseconds came);
  /// Records that all packets of a message have passed the target's packet stages at `at`.
  void arrive(std::uint32_t index, picoseconds at);
  /// Tells the listener that the bytes of a message have been read.
  void source_free(std::uint32_t index);

  /// The unit that has read the message's packets now serves the messages that waited for it, up to
  /// the next message whose packets it reads.
  void all_read(std::uint32_t index) override;

  /// Adds the counts of all messages to a sum.
  void count(run_account& sum) const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  /// A reading_unit has served a message's last stage and now reads its packets while other
  /// messages wait for it.
  struct reading_unit {
    std::uint32_t reads = no_index;
    pool_queue waiting;
  };

  void check(const message& what) const;
  reading_unit& reading(std::uint32_t node, std::uint32_t stage) {
    return reading_[node * machine_.unit_names.size() + machine_.stages[stage].unit];
  }
  bool waits_for_reader(std::uint32_t index, std::uint32_t stage, picoseconds came);
  picoseconds visit_unit(std::uint32_t index, const std::vector<std::uint32_t>& list,
                         picoseconds came);
  void stay_home(std::uint32_t index);
  void delivered(std::uint32_t index);
  void forget_if_told(std::uint32_t index);

  const compiled_machine& machine_;
  event_queue& events_;
  pool<moving_message>& moving_;
  servers& servers_;
  injectors& injectors_;
  listener& hears_;
  big_vector<reading_unit> reading_;  // by node and unit; empty if no path reads this way
  std::vector<std::uint32_t> turns_;  // by node, messages started
  std::uint64_t started_ = 0, bytes_started_ = 0, delivered_ = 0, bytes_delivered_ = 0;
};

}  // namespace onehop::netsim
