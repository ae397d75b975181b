#pragma once
/// Links carry packets from router to router. One packet crossing one link is one event: when a
/// packet's head comes to a router, its start on the next link is known as soon as the credit for
/// it is (the link serves in order of arrival), so neither the start nor the end of a transmission
/// is an event. Only packets that wait for a credit whose time is not yet known are queued; they
/// are sent when the packet before them in the next router is.

#include <cstdint>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/injectors.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/engine/pool.hpp"

namespace onehop::netsim {

/// These are all links of all fabrics, with their credits and queues.
class links {
 public:
  /// Throws usage_error when events cannot number all virtual channels. Links keep their state in
  /// the machine's table.
  links(compiled_machine& machine, event_queue& events, pool<packet>& packets,
        const pool<moving_message>& messages, injectors& origins, packet_trace& trace);

  /// Sends a packet whose head is at a router on its way, or queues it. Returns false where the
  /// packet is at its target.
  bool forward(std::uint32_t packet);
  /// Notes that a packet is out of the router or the node where it was at `at`; it is given as it
  /// was there.
  void leave(const packet& one, picoseconds at);
  /// Sends queued packets that may go since others have left.
  void send_queued();
  /// Sends packets of a channel that wait for a credit which is back now.
  void credit_is_back(std::uint32_t channel_index);
  /// Prefetches the links that forward will read, of which prefetch() needs to know.
  void prefetch_links(const packet& one) const;
  /// Prefetches what else forward will read. Returns false where the packet comes to its target.
  bool prefetch(const packet& one) const;
  /// Prefetches the packet that will go when this one does.
  void prefetch_waiting(const packet& one) const;

  /// Writes the counts of all links into a sum.
  void count(run_account& sum) const;
  [[nodiscard]] std::vector<link_account> accounts() const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  /// In a channel_queue packets wait for credit of one virtual channel. On tori and meshes those
  /// that go on along an axis go before those that turn into it or enter the network: otherwise a
  /// full ring fills further until hardly any packet moves. Switches serve in order of arrival, or
  /// nodes near to a target would shut out those further away.
  struct channel_queue {
    pool_queue transit, entering;
    picoseconds wake = never;  ///< time of the event that will look again

    [[nodiscard]] bool is_empty() const { return transit.is_empty() && entering.is_empty(); }
  };

  bool has_waiting(const packet& one) const {
    return (net_.links[one.link].waiting >> one.channel & 1U) != 0;
  }
  std::uint32_t target_of(const packet& one, const fabric_layout& layout) const;
  packet_place place_of(const packet& one, const fabric_layout*& layout) const;
  hop next_hop(const packet& one, route& way) const;
  bool go_where_free(std::uint32_t packet);
  void mark_by_queue(std::uint32_t packet, std::uint32_t link);
  bool try_send(std::uint32_t packet, hop next);
  void enqueue(std::uint32_t index, hop next);
  void send(std::uint32_t index, hop next, std::uint32_t slot, picoseconds start);
  picoseconds occupy(link& out, std::uint32_t link_index, const packet& one, picoseconds& start);
  std::uint32_t failures(link& out, std::uint32_t link_index, std::uint64_t bits);
  void pump(hop channel);
  std::size_t channel_index(hop channel) const;

  link_table& net_;
  const compiled_machine& machine_;
  event_queue& events_;
  pool<packet>& packets_;
  const pool<moving_message>& messages_;
  injectors& origins_;
  packet_trace& trace_;
  big_vector<channel_queue> queues_;        // by link and channel
  std::vector<std::size_t> queues_before_;  // per fabric
  std::vector<hop> to_pump_;                // channels whose next router has let a packet go
  std::uint64_t packet_hops_ = 0, retransmissions_ = 0;
  bool has_steered_ = false;  // some packets need their message on the way
  bool has_free_ = false;     // some packets choose among outputs that have room
  bool has_marks_ = false;    // some switches mark packets that meet a long queue
};

}  // namespace onehop::netsim
