#pragma once
/// These collectives of data in device memory are performed between the hosts.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// The staging says when data are copied back to the device.
enum class staging : std::uint8_t {
  none,   ///< no copies; messages go between devices
  whole,  ///< the result is copied back at the end
  parts   ///< received data are copied back while the next steps proceed
};

/// Returns the steps among hosts with the copies before and after them. `copies_out` copies go to
/// the host: one of the rank's contribution, and more of the same size if a library copies more.
/// Copies of an alltoall hold `copy_bytes` each (or all) and overlap with its messages.
step_list staged(step_list among_hosts, collective what, staging how, int ranks, int rank,
                 std::size_t bytes, int root = 0, int copies_out = 1, std::size_t copy_bytes = 0);

}  // namespace onehop::netsim
