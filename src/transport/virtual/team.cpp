#include "transport/virtual/team.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace onehop::virtual_machine {

std::vector<int> all_ranks(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

team::team(job& shared, const round_table& table, std::vector<int> members)
    : job_(shared),
      members_(std::move(members)),
      talk_(table, members_, shared.messages, shared.progress, shared.ways),
      departed_(members_.size()) {}

void team::carry_out(const request& what, std::byte* record) {
  switch (what.what) {
    case request::add_chain:
      return add_side(what.rank, what.own, chain_record::at({record, 0}));
    case request::forget:
      return forget_side(what.rank, what.own);
    case request::begin_exchange:
      return chains_.at(what.own)->at(what.rank).begin();
    case request::fire:
      return chains_.at(what.own)->at(what.rank).fire(what.put);
    default:
      talk_.enter(what.rank);
  }
}

void team::add_side(int rank, memory_id own, chain_record& record) {
  auto& all = chains_[own];
  if (!all) all = std::make_unique<chain_sides>(*this);
  all->add(std::make_unique<chain_side>(*this, *all, record, rank), rank);
}

void team::forget_side(int rank, memory_id own) {
  const auto found = chains_.find(own);
  if (found == chains_.end() || !found->second->is_last_to_go(rank)) return;
  if (job_.messages.under_way() == 0) retired_.clear();
  retired_.push_back(std::move(found->second));
  chains_.erase(found);
}

bool team::leave(int rank) {
  if (has_left(rank)) return false;
  for (const auto& [own, sides] : chains_) sides->forget_record(rank);
  departed_[static_cast<std::size_t>(rank)] = 1;
  return std::ranges::all_of(departed_, [](char one) { return one != 0; });
}

}  // namespace onehop::virtual_machine
