#pragma once
/// Collectives of data in the memory of devices, done between the hosts.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// When data are copied back to the device.
enum class staging : std::uint8_t {
  none,   ///< nothing is copied, messages go between devices
  whole,  ///< the result, at the end
  parts   ///< what a rank hears, while the next steps go on
};

/// The steps among hosts with the copies before and after them, of which `copies_out` go to the
/// host: one of what the rank contributes, more of as many bytes where a library copies more.
step_list staged(step_list among_hosts, collective what, staging how, int ranks, int rank,
                 std::size_t bytes, int root = 0, int copies_out = 1);

/// An alltoall of device memory, `bytes` from each to each. Copies to the host hold the parts for
/// as many ranks as `copy_bytes` do (0: all), and each message goes as soon as its part is there;
/// copies back hold as many, and each begins as soon as all that it brings has come, a rank's own
/// part in a message to itself.
/// Source: dynamic staging of A. Singh et al., PPAC 2011 (IEEE Cluster 2011 workshops).
step_list staged_alltoall(int ranks, int rank, std::size_t bytes, std::size_t copy_bytes);

}  // namespace onehop::netsim
