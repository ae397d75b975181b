#pragma once
/// What a run did, for the reader: where time went, what was full, whether anything was lost.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

/// One stage or unit over all nodes.
struct stage_account {
  std::string name;
  std::uint64_t served = 0;  ///< messages or packets
  picoseconds busy = 0;      ///< sum over nodes
  picoseconds waited = 0;    ///< before being served, sum over what was served
  picoseconds longest_wait = 0;
  picoseconds busiest_node = 0;  ///< most busy time of one node's unit
};

/// One direction of a cable.
struct link_account {
  std::uint32_t fabric = 0;
  std::uint32_t from = 0, to = 0;  ///< routers; nodes first, then switches
  std::uint32_t port = 0;          ///< of `from`
  std::uint64_t packets = 0;
  picoseconds busy = 0;
  picoseconds waited = 0;           ///< of heads, for the link or a credit
  std::uint32_t deepest_queue = 0;  ///< packets waiting at the same time
  std::uint32_t retransmissions = 0;
};

struct run_account {
  picoseconds now = 0;
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;  ///< packets times links between routers that they crossed
  std::uint64_t messages_posted = 0, messages_delivered = 0;
  std::uint64_t bytes_posted = 0, bytes_delivered = 0;
  std::uint64_t packets_made = 0, packets_delivered = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t credits_missing = 0;  ///< not returned (counted when nothing is left to do)
  std::uint64_t most_events_pending = 0;
  std::uint64_t memory_bytes = 0;  ///< of the network
};

/// All of a machine at one time.
struct machine_accounts {
  picoseconds now = 0;
  run_account account;
  std::vector<stage_account> stages;
  std::vector<link_account> links;
};

}  // namespace onehop::netsim
