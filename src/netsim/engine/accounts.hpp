#pragma once
/// The accounts record where the time of a run went, which queues filled up, and what was lost.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

/// A stage_account sums one stage or unit over all nodes.
struct stage_account {
  std::string name;
  std::uint64_t served = 0;  ///< number of messages or packets
  picoseconds busy = 0;      ///< sum over nodes
  picoseconds waited = 0;    ///< time spent waiting for service, summed over all served
  picoseconds longest_wait = 0;
  picoseconds busiest_node = 0;  ///< busy time of the node whose unit was busiest
};

/// A link_account covers one direction of a cable.
struct link_account {
  std::uint32_t fabric = 0;
  std::uint32_t from = 0, to = 0;  ///< routers at its two ends; nodes are numbered first, then
                                   ///< switches
  std::uint32_t port = 0;          ///< port of router `from`
  std::uint32_t axis = 0;          ///< axis, level of a tree, or class of a network of switches
  std::uint64_t packets = 0;
  picoseconds busy = 0;             ///< time spent sending until now
  picoseconds waited = 0;           ///< time that heads waited for the link or a credit
  std::uint32_t deepest_queue = 0;  ///< largest number of packets waiting at the same time
  std::uint32_t retransmissions = 0;
};

struct run_account {
  picoseconds now = 0;
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;  ///< packets times router-to-router links that they crossed
  std::uint64_t messages_posted = 0, messages_delivered = 0;
  std::uint64_t bytes_posted = 0, bytes_delivered = 0;
  std::uint64_t packets_made = 0, packets_delivered = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t packets_marked = 0, notifications = 0;  ///< counts of congestion control
  std::uint64_t credits_missing = 0;  ///< credits not returned (counted when no event is left)
  std::uint64_t most_events_pending = 0;
  std::uint64_t memory_bytes = 0;  ///< memory of the network
};

/// The machine_accounts are the accounts of a whole machine at one moment.
struct machine_accounts {
  picoseconds now = 0;
  run_account account;
  std::vector<stage_account> stages;
  std::vector<link_account> links;
};

}  // namespace onehop::netsim
