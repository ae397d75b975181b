#pragma once
/// Packets wait in channel_queues for credit of the virtual channels of links.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "netsim/engine/packet.hpp"
#include "netsim/engine/pool.hpp"

namespace onehop::netsim {

/// In a channel_queue packets wait for credit of one virtual channel. On tori and meshes those that
/// go on along an axis go before those that turn into it or enter the network: otherwise a full
/// ring fills further until hardly any packet moves. Switches serve in order of arrival, or nodes
/// near to a target would shut out those further away.
struct channel_queue {
  pool_queue transit, entering;
  picoseconds wake = never;  ///< time of the event that will look again

  [[nodiscard]] bool is_empty() const { return transit.is_empty() && entering.is_empty(); }
  /// Returns the packet that goes first; one must wait.
  [[nodiscard]] std::uint32_t first() const {
    return (transit.is_empty() ? entering : transit).first();
  }
  std::uint32_t pop(const pool<packet>& packets) {
    return (transit.is_empty() ? entering : transit).pop(packets);
  }
};

/// Only a link at which packets wait has queues, one for each of its channels, in a numbered entry:
/// on most links of a large machine none waits, and those of the others stay in the caches.
class channel_queues {
 public:
  explicit channel_queues(std::uint32_t channels) : channels_(channels) {}

  /// Returns the number of an entry whose queues are empty.
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
  /// Takes an entry back in whose queues no packet waits; returns false where an event will look at
  /// one of them again.
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

}  // namespace onehop::netsim
