#include "netsim/workload/staged_schedule.hpp"

#include <algorithm>

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

/// The distances 0 to ranks - 1 in parts of `length`.
template <class Take>
void by_blocks(int ranks, int length, Take&& take) {
  for (int first = 0; first < ranks; first += length) take(first, std::min(first + length, ranks));
}

}  // namespace

step_list staged(step_list among_hosts, collective what, staging how, int ranks, int rank,
                 std::size_t bytes, int root, int copies_out) {
  if (how == staging::none || what == collective::barrier || ranks == 1) return among_hosts;
  const bool is_broadcast = what == collective::broadcast, is_root = rank == root;
  const bool gathers = what == collective::allgather;
  // What is summed is no result before the end.
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

step_list staged_alltoall(int ranks, int rank, std::size_t bytes, std::size_t copy_bytes) {
  if (ranks == 1) return {};
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t fit = copy_bytes == 0 ? all : std::max<std::size_t>(1, copy_bytes / bytes);
  const int length = static_cast<int>(std::min(all, fit));
  step_list steps;
  const auto size_of = [&](int first, int end) {
    return bytes * static_cast<std::size_t>(end - first);
  };
  by_blocks(ranks, length, [&](int first, int end) {
    steps.push_back(copy_step(out, size_of(first, end)));
    for (int distance = first; distance < end; ++distance)
      steps.push_back({(rank + ranks - distance) % ranks, bytes, nobody});
  });
  by_blocks(ranks, length, [&](int first, int end) {
    for (int distance = first; distance < end; ++distance)
      steps.push_back({nobody, 0, (rank + distance) % ranks, false, bytes, none, 1});
    steps.push_back(copy_step(in, size_of(first, end), 1));
  });
  return steps;
}

}  // namespace onehop::netsim
