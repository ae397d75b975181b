#include "netsim/workload/staged_schedule.hpp"

#include <algorithm>
#include <array>

namespace onehop::netsim {
namespace {

using enum schedule_step::copy;

schedule_step copy_step(schedule_step::copy direction, std::size_t bytes, std::uint8_t lane = 0) {
  schedule_step step;
  step.bytes = bytes;
  step.copies = direction;
  step.lane = lane;
  return step;
}

/// Each copy to the host holds the parts for as many ranks as fit into `copy_bytes` (0: all), and
/// each message goes as soon as its part is on the host. Copies back hold as many parts, and each
/// begins as soon as its parts have come. Source: dynamic staging of A. Singh et al., PPAC 2011
/// (IEEE Cluster 2011 workshops).
step_list in_blocks(const step_list& among_hosts, std::size_t ranks, std::size_t bytes,
                    std::size_t copy_bytes) {
  const bool is_one = copy_bytes == 0 || bytes == 0;
  const std::size_t fit = is_one ? ranks : std::max<std::size_t>(1, copy_bytes / bytes);
  const std::size_t most = std::min(ranks, fit);
  std::array<std::size_t, 2> done{};  // parts, by lane
  step_list steps;
  for (const schedule_step& step : among_hosts) {
    const std::size_t part = done[step.lane]++, first = part - part % most;
    const std::size_t end = std::min(first + most, ranks);
    if (step.lane == 0 && part == first) steps.push_back(copy_step(out, bytes * (end - first)));
    steps.push_back(step);
    if (step.lane == 1 && part + 1 == end) steps.push_back(copy_step(in, bytes * (end - first), 1));
  }
  return steps;
}

}  // namespace

step_list staged(step_list among_hosts, collective what, staging how, int ranks, int rank,
                 std::size_t bytes, int root, int copies_out, std::size_t copy_bytes) {
  if (how == staging::none || what == collective::barrier || ranks == 1) return among_hosts;
  if (what == collective::alltoall)
    return in_blocks(among_hosts, static_cast<std::size_t>(ranks), bytes, copy_bytes);
  const bool is_broadcast = what == collective::broadcast, is_root = rank == root;
  const bool gathers = what == collective::allgather;
  // Parts of a sum are no result before the end, so they are not copied back one by one.
  const bool by_parts = how == staging::parts && what != collective::allreduce;
  step_list steps;
  if (!is_broadcast || is_root) steps.assign(copies_out, copy_step(out, bytes));
  for (const schedule_step& step : among_hosts) {
    steps.push_back(step);
    if (by_parts && step.from != nobody) steps.push_back(copy_step(in, step.heard));
  }
  const std::size_t result = gathers ? bytes * static_cast<std::size_t>(ranks) : bytes;
  if (!by_parts && (!is_broadcast || !is_root)) steps.push_back(copy_step(in, result));
  return steps;
}

}  // namespace onehop::netsim
