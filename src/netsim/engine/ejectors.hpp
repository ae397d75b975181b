#pragma once
/// Ejectors take packets from the last router through the stages of the target.

#include <cstdint>

#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/flow_rates.hpp"
#include "netsim/engine/messages.hpp"
#include "netsim/engine/packet_buffers.hpp"
#include "netsim/engine/pool.hpp"
#include "netsim/engine/servers.hpp"

namespace onehop::netsim {

/// The ejectors of all nodes take packets out of the fabrics.
class ejectors {
 public:
  ejectors(const compiled_machine& machine, event_queue& events, pool<packet>& packets,
           pool<moving_message>& moving, servers& all_servers, flow_rates& rates, messages& hears);

  /// Takes a packet whose head is at its target's router, as soon as the target has a free buffer.
  /// Returns when the packet is out of the fabric.
  picoseconds take(std::uint32_t packet);
  /// Prefetches what take() will read for a packet of the message.
  void prefetch(const moving_message& to);
  /// Serves a packet whose head reaches a stage in a separate event.
  void at_stage(std::uint32_t packet);

  [[nodiscard]] std::uint64_t packets_delivered() const noexcept { return packets_delivered_; }
  [[nodiscard]] std::uint64_t buffers_taken() const { return buffers_.taken(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buffers_.memory_bytes(); }

 private:
  picoseconds pass(std::uint32_t packet, flow when);
  std::uint64_t address_of(const packet& one) const;
  void finish(std::uint32_t packet, picoseconds at);

  const compiled_machine& machine_;
  event_queue& events_;
  pool<packet>& packets_;
  pool<moving_message>& moving_;
  servers& servers_;
  flow_rates& rates_;
  messages& messages_;
  packet_buffers buffers_;
  std::uint64_t packets_delivered_ = 0;
};

}  // namespace onehop::netsim
