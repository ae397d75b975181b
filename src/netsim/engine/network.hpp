#pragma once
/// A network is one machine in virtual time: messages are posted, cut into packets and carried
/// through stages, links and routers, and a listener is told when they end.
///
///     messages -> injectors -> links -> ejectors -> messages
///        |            |                     |          |
///        +------------+------ servers ------+----------+
///
/// It is single-threaded and deterministic: the same calls give the same events; events of equal
/// time come in the order in which they were caused.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/ejectors.hpp"
#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/flow_rates.hpp"
#include "netsim/engine/injectors.hpp"
#include "netsim/engine/links.hpp"
#include "netsim/engine/message.hpp"
#include "netsim/engine/messages.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/engine/servers.hpp"

namespace onehop::netsim {

class network {
 public:
  /// The constructor throws usage_error if the description fails its check. The listener must
  /// outlive the network; the description need not.
  network(const machine_description& machine, listener& hears, queue_kind how = queue_kind::ladder);
  network(const network&) = delete;
  network& operator=(const network&) = delete;

  [[nodiscard]] picoseconds now() const noexcept { return events_.now(); }

  /// Starts a message at now(). Throws usage_error if a node or path does not exist, or if dead
  /// links cut the way.
  void post(const message& what) { messages_.start(what); }
  /// Calls listener::alarm(token) at `at`, which must not be in the past.
  void alarm(picoseconds at, std::uint64_t token);

  /// Processes the next event; returns false if none is left.
  bool run_one();
  /// Processes all events, then checks conservation: throws onehop::error if a byte, packet or
  /// credit is missing or a message never arrived.
  void run();
  /// Performs only the check of run().
  void check_conservation() const;
  /// run() calls `look` from time to time; it may throw to end the run.
  void watch(std::function<void()> look) { look_ = std::move(look); }

  [[nodiscard]] run_account account() const;
  /// Returns the accounts of the run, of all stages and of all links.
  [[nodiscard]] machine_accounts accounts() const {
    return {now(), account(), servers_.accounts(now()), links_.accounts()};
  }

  /// Returns the accounts of a network in which nothing moves any more, and frees the memory of
  /// packets and messages.
  machine_accounts last_accounts();

  /// From now on the network records what each stage and link does, in about 32 bytes per packet
  /// and stage.
  void record_trace() { trace_.begin(); }
  /// Writes Chrome trace events (chrome://tracing, ui.perfetto.dev): nodes are processes, and times
  /// are in microseconds.
  void write_trace(std::ostream& out) const { trace_.write(out, machine_); }

 private:
  struct alarm_entry {
    std::uint64_t token = 0;
    std::uint32_t next = no_index;
  };

  void dispatch(const event& one);
  void at_router(std::uint32_t packet);
  void ring(std::uint32_t alarm);
  void look_ahead();
  void prefetch_hop(const packet& one, std::size_t step);
  void prefetch_channel(hop of, std::size_t step);

  compiled_machine machine_;
  listener& hears_;
  event_queue events_;
  std::function<void()> look_;
  pool<packet> packets_;
  pool<moving_message> moving_;
  pool<alarm_entry> alarms_;
  packet_trace trace_;
  servers servers_;
  flow_rates rates_;
  injectors injectors_;
  messages messages_;
  ejectors ejectors_;
  links links_;
};

}  // namespace onehop::netsim
