#pragma once
/// Links carry packets from router to router. One packet crossing one link is one event. When a
/// packet's head reaches a router, its start on the next link is known as soon as its credit is
/// known (the link serves in order of arrival), so neither the start nor the end of a transmission
/// needs an event. A packet is queued only if the return time of its credit is unknown; it is sent
/// once the packet ahead of it in the next router has been sent on.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/injectors.hpp"
#include "netsim/engine/packet.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/engine/pool.hpp"

namespace onehop::netsim {

/// In a channel_queue packets wait for credit of one virtual channel. On tori and meshes, packets
/// that continue along an axis go before packets that turn into it or enter the network; otherwise
/// a full ring would fill up until hardly any packet moves. Switches serve in order of arrival;
/// otherwise nodes near a target would shut out distant ones.
struct channel_queue {
  pool_queue transit, entering;
  picoseconds wake = never;  ///< time of the event that will check again

  [[nodiscard]] bool is_empty() const { return transit.is_empty() && entering.is_empty(); }
  /// Returns the packet that goes first; at least one must wait.
  [[nodiscard]] std::uint32_t first() const {
    return (transit.is_empty() ? entering : transit).first();
  }
  std::uint32_t pop(const pool<packet>& packets) {
    return (transit.is_empty() ? entering : transit).pop(packets);
  }
};

/// Only a link with waiting packets has queues, one per channel, stored in a numbered entry. On
/// most links of a large machine no packet waits, so the few entries in use stay in the caches.
class channel_queues {
 public:
  explicit channel_queues(std::uint32_t channels) : channels_(channels) {}

  /// Returns the number of an entry with empty queues.
  std::uint32_t add() {
    if (unused_.empty()) {
      const auto first = all_.size();
      while (all_.size() < first + channels_) all_.add();
      return static_cast<std::uint32_t>(first / channels_);
    }
    const auto entry = unused_.back();
    unused_.pop_back();
    return entry;
  }
  /// Takes back an entry whose queues are empty; returns false if an event will look at one of them
  /// again.
  bool remove(std::uint32_t entry) {
    const auto* first = &at(entry, 0);
    if (std::any_of(first, first + channels_, [](const auto& of) { return of.wake != never; }))
      return false;
    unused_.push_back(entry);
    return true;
  }
  channel_queue& at(std::uint32_t entry, std::uint32_t channel) {
    return all_[std::size_t{entry} * channels_ + channel];
  }
  const channel_queue& at(std::uint32_t entry, std::uint32_t channel) const {
    return all_[std::size_t{entry} * channels_ + channel];
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return all_.memory_bytes() + unused_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::uint32_t channels_;
  growing_array<channel_queue> all_;
  std::vector<std::uint32_t> unused_;
};

/// This class holds all links of all fabrics, with their credits and queues.
class links {
 public:
  /// Throws usage_error if events cannot number all virtual channels. Links keep their state in the
  /// machine's table.
  links(compiled_machine& machine, event_queue& events, pool<packet>& packets,
        const pool<moving_message>& messages, injectors& origins, packet_trace& trace);

  /// Sends a packet whose head is at a router on its way, or queues it. Returns false if the packet
  /// is at its target.
  bool forward(std::uint32_t packet);
  /// Records that a packet leaves its router or node at `at`; `one` describes the packet as it was
  /// there.
  void leave(const packet& one, picoseconds at);
  /// Sends queued packets that may go because others have left.
  void send_queued();
  /// Sends packets of a channel that were waiting for a credit which is back now.
  void credit_is_back(std::uint32_t channel_index);
  /// Prefetches the links that forward() will read; prefetch() needs them in the cache.
  void prefetch_links(const packet& one) const;
  /// Prefetches what else forward() will read. Returns false if the packet reaches its target.
  bool prefetch(const packet& one) const;
  /// Returns the virtual channel that event_kind::channel_has_credit names.
  [[nodiscard]] hop channel_at(std::uint32_t index) const;
  /// Prefetches a virtual channel.
  void prefetch_channel(hop of) const;
  /// Prefetches the first of the packets waiting for the channel, which should already be in the
  /// cache.
  void prefetch_waiting(hop of) const;
  /// Prefetches the channel that this packet will leave; the packet should already be in the cache.
  void prefetch_behind(hop of) const;

  /// Adds the counts of all links to a sum.
  void count(run_account& sum) const;
  [[nodiscard]] std::vector<link_account> accounts() const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  bool has_waiting(hop channel) const {
    return (net_.links[channel.link].waiting >> channel.channel & 1U) != 0;
  }
  void prefetch_credits(const fabric_layout& layout, hop of) const;
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
  void drop_queues(link& of);
  void wake_at(hop channel, picoseconds at);

  link_table& net_;
  const compiled_machine& machine_;
  event_queue& events_;
  pool<packet>& packets_;
  const pool<moving_message>& messages_;
  injectors& origins_;
  packet_trace& trace_;
  std::vector<std::size_t> channels_before_;  // per fabric
  channel_queues queues_;
  std::vector<hop> to_pump_;  // channels whose next router has released a packet
  std::uint64_t packet_hops_ = 0, retransmissions_ = 0;
  bool reads_messages_ = false;  // some packets need their message on the way
  bool has_free_ = false;        // some packets choose among outputs with free room
  bool has_marks_ = false;       // some switches mark packets that meet a long queue
};

}  // namespace onehop::netsim
