#pragma once
/// These are collectives of data in the memory of devices that are done between the hosts.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// The staging says when data are copied back to the device.
enum class staging : std::uint8_t {
  none,   ///< nothing is copied, messages go between devices
  whole,  ///< the result is copied back at the end
  parts   ///< what a rank hears is copied back while the next steps go on
};

/// The steps among hosts with the copies before and after them, of which `copies_out` go to the
/// host: one of what the rank contributes, more of as many bytes where a library copies more. Those
/// of an alltoall hold `copy_bytes` each, or all, and overlap with its messages.
step_list staged(step_list among_hosts, collective what, staging how, int ranks, int rank,
                 std::size_t bytes, int root = 0, int copies_out = 1, std::size_t copy_bytes = 0);

}  // namespace onehop::netsim
