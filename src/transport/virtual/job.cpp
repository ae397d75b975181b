#include "transport/virtual/job.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace onehop::virtual_machine {

int checked_count(int ranks, const machine& on) {
  if (ranks < 1 || static_cast<std::uint32_t>(ranks) > on.description.nodes)
    throw usage_error(text(ranks, " ranks on the ", on.description.nodes, " nodes of machine ",
                           on.description.name, ": give 1 to ", on.description.nodes));
  return ranks;
}

void pause::begin(netsim::dispatcher& messages, picoseconds length) {
  is_over_ = false;
  messages.remind(messages.net().now() + length, *this, 0);
}

void pause::reminded(std::uint32_t) {
  is_over_ = true;
  progress_.wake(rank_);
}

job::job(const round_table& all_rounds, machine on)
    : what(std::move(on)),
      messages(what.description),
      progress(static_cast<int>(all_rounds.ranks.size()), messages.net(),
               [this](const std::exception& thrown) { fail(thrown.what()); }),
      ways(what.description, what.where, what.windows, what.variant),
      talk(all_rounds, messages, progress, ways),
      name("virtual:" + what.description.name) {
  for (std::size_t rank = 0; rank < all_rounds.ranks.size(); ++rank)
    members.push_back({pause(progress, static_cast<int>(rank))});
}

void job::fail(std::string why) {
  if (!failure.empty()) return;
  std::ranges::replace(why, '\n', ' ');
  failure = std::move(why);
  progress.wake_all();
}

picoseconds job::time_of(const kernel_cost& cost) const {
  const netsim::processor& on =
      what.where == netsim::memory::device ? what.description.gpu : what.description.host;
  return cost.launches * on.launch +
         std::max(netsim::pace(on.flops_per_second)(static_cast<std::uint64_t>(cost.flops)),
                  netsim::pace(on.bytes_per_second)(static_cast<std::uint64_t>(cost.bytes)));
}

netsim::machine_accounts accounts_of(const job& what) {
  netsim::machine_accounts all = what.messages.net().accounts();
  all.now = what.progress.now();
  return all;
}

void job::add_side(int rank, memory_id own, chain_record& record) {
  auto& all = chains_[own];
  if (!all) all = std::make_unique<chain_sides>(*this);
  all->add(std::make_unique<chain_side>(*this, *all, record, rank), rank);
}

void job::forget_side(int rank, memory_id own) {
  const auto found = chains_.find(own);
  if (found == chains_.end() || !found->second->is_last_to_go(rank)) return;
  if (messages.under_way() == 0) retired_.clear();
  retired_.push_back(std::move(found->second));
  chains_.erase(found);
}

}  // namespace onehop::virtual_machine
