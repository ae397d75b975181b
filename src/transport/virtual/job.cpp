#include "transport/virtual/job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace onehop::virtual_machine {

int checked_count(int ranks, const machine& on) {
  const std::size_t most =
      std::max<std::size_t>(on.description.nodes, on.description.places.size());
  if (ranks < 1 || static_cast<std::size_t>(ranks) > most)
    throw usage_error(text(counted(ranks, "rank"), " on the ", on.description.nodes,
                           " nodes of machine ", on.description.name, ": give 1 to ", most));
  return ranks;
}

void pause::begin(netsim::dispatcher& messages, picoseconds length) {
  is_over_ = false;
  wakes_ = progress_.wakes(rank_);
  messages.remind(messages.net().now() + length, *this, 0);
}

void pause::reminded(std::uint32_t) {
  is_over_ = true;
  has_news_ = has_news_ || progress_.wakes(rank_) != wakes_;
  progress_.wake(rank_);
}

job::job(int ranks, machine on)
    : what(std::move(on)),
      messages(what.description),
      progress(checked_count(ranks, what), messages.net(),
               [this](const std::exception& thrown) { fail(thrown.what()); }),
      ways(what.description, what.where, what.windows, what.variant),
      name("virtual:" + what.description.name) {
  for (int rank = 0; rank < ranks; ++rank) members.push_back({pause(progress, rank)});
}

void job::fail(std::string why) {
  if (!failure.empty()) return;
  std::ranges::replace(why, '\n', ' ');
  failure = std::move(why);
  progress.wake_all();
}

picoseconds job::time_of(int rank, const kernel_cost& cost) const {
  const bool by_gpu = what.where == netsim::memory::device;
  const netsim::processor& on = by_gpu ? what.description.gpu : what.description.host;
  const auto sharing = by_gpu ? 1 : picoseconds{ways.ranks_beside(rank)};
  return std::llround(cost.seconds * 1e12) + cost.launches * on.launch +
         sharing *
             std::max(netsim::pace(on.flops_per_second)(static_cast<std::uint64_t>(cost.flops)),
                      netsim::pace(on.bytes_per_second)(static_cast<std::uint64_t>(cost.bytes)));
}

picoseconds job::begin_work(int rank, const kernel_cost& cost) {
  const bool has_kernel = cost.launches > 0 || cost.flops > 0 || cost.bytes > 0;
  if (has_kernel) at(rank).has_kernels = what.where == netsim::memory::device;
  return time_of(rank, cost);
}

picoseconds job::drain(int rank) {
  return std::exchange(at(rank).has_kernels, false) ? what.description.gpu.wait : 0;
}

netsim::machine_accounts accounts_of(const job& what) {
  netsim::machine_accounts all = what.messages.net().accounts();
  all.now = what.progress.now();
  return all;
}

}  // namespace onehop::virtual_machine
