#pragma once
/// Injectors cut messages into packets at the origin. An injector makes one packet at a time, so
/// only packets in flight take memory, however long the messages are.

#include <cstdint>
#include <vector>

#include "netsim/engine/dma_readers.hpp"
#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/flow_rates.hpp"
#include "netsim/engine/packet_buffers.hpp"
#include "netsim/engine/pool.hpp"

namespace onehop::netsim {

/// A read_listener is told when a message has been cut into packets completely.
class read_listener {
 public:
  virtual ~read_listener() = default;
  /// Reports that the last packet of a message has been made.
  virtual void all_read(std::uint32_t message) = 0;
};

/// The injectors of all nodes, with the stages between them and the first router, are kept here.
class injectors {
 public:
  injectors(const compiled_machine& machine, event_queue& events, pool<packet>& packets,
            pool<moving_message>& messages, servers& all_servers, flow_rates& rates,
            read_listener& hears);

  /// Takes a message that has passed its per-message stages.
  void enter(std::uint32_t message);
  /// Lets a packet's injector make the next packet; the first event of every packet calls this.
  void follow(std::uint32_t packet);
  /// Serves a packet whose head reaches a stage in a separate event.
  void at_stage(std::uint32_t packet);
  /// Releases the next packet of a slowed flow.
  void flow_is_due(std::uint32_t flow);
  /// Prefetches the data for the node's next packet, after a packet of the message.
  void prefetch(const moving_message& from);
  /// Records that a packet leaves its buffer at `at`.
  void leave(const packet& one, picoseconds at);

  [[nodiscard]] std::uint64_t packets_made() const noexcept { return packets_made_; }
  [[nodiscard]] std::uint64_t buffers_taken() const { return buffers_.taken(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::uint32_t most_channels = 8;

  /// An injector has messages waiting to be cut into packets, and some that take turns.
  struct injector {
    pool_queue waiting;
    pool_queue due;  ///< messages of slowed flows whose next packet is due; they go first
    std::uint32_t active[most_channels] = {no_index, no_index, no_index, no_index,
                                           no_index, no_index, no_index, no_index};
    std::uint8_t active_count = 0, turn = 0;
    bool runs = false;      ///< a packet's first event will call it again
    bool is_stuck = false;  ///< no buffer is free
  };

  injector& at(std::uint32_t node, std::uint32_t which) { return all_[which][node]; }
  [[nodiscard]] bool is_used(std::uint32_t which) const { return !all_[which].empty(); }
  void inject(std::uint32_t node, std::uint32_t which);
  void wake(std::uint32_t node, std::uint32_t which);
  std::uint32_t take_turn(injector& here, std::uint32_t channels);
  static void take_out(injector& here);
  flow read(std::uint32_t which, const moving_message& from, std::uint32_t bytes, picoseconds at);
  std::uint32_t make_packet(std::uint32_t message, std::uint32_t bytes, std::size_t buffer);
  void end_turn(injector& here, std::uint32_t message, std::uint32_t bytes);
  void pass(std::uint32_t packet, flow when);
  std::uint64_t address_of(const packet& one) const;
  void resume(std::uint32_t node, std::uint32_t fabric);

  const compiled_machine& machine_;
  event_queue& events_;
  pool<packet>& packets_;
  pool<moving_message>& messages_;
  servers& servers_;
  flow_rates& rates_;
  read_listener& hears_;
  dma_readers readers_;
  packet_buffers buffers_;
  std::vector<big_vector<injector>> all_;    // by injector (from its first message) and node
  std::vector<std::uint8_t> next_injector_;  // by node: the injector that gets the next free buffer
  std::uint64_t packets_made_ = 0;
};

}  // namespace onehop::netsim
