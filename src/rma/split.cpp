#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <onehop/collectives.hpp>
#include <onehop/context.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/exposed_memory.hpp"
#include "rma/rounds.hpp"

namespace onehop {
namespace {

/// A choice is what a rank passes to split; no group has a negative colour.
struct choice {
  std::int32_t color, key;
};

std::vector<choice> gather_choices(const context& ctx, const choice& mine) {
  std::vector<choice> all(static_cast<std::size_t>(ctx.size()));
  rounds::round(ctx, make_tag(operation::split, sizeof mine), std::as_bytes(std::span(&mine, 1)),
                [&](int rank, const std::byte* theirs) {
                  std::memcpy(&all[static_cast<std::size_t>(rank)], theirs, sizeof(choice));
                });
  return all;
}

/// Groups are ordered by colour, their members by key and then by rank.
partition partition_by(const std::vector<choice>& all, int rank) {
  const auto of = [&](int one) { return all[static_cast<std::size_t>(one)]; };
  std::map<int, std::vector<int>> by_color;
  for (int one = 0; one < static_cast<int>(all.size()); ++one)
    if (of(one).color >= 0) by_color[of(one).color].push_back(one);
  partition how;
  for (auto& [color, members] : by_color) {
    if (color == of(rank).color) how.mine = static_cast<int>(how.groups.size());
    std::ranges::stable_sort(members, {}, [&](int one) { return of(one).key; });
    how.groups.push_back(std::move(members));
  }
  return how;
}

}  // namespace

std::optional<context> context::split(std::optional<int> color, int key) const {
  const partition how = partition_by(gather_choices(*this, {color.value_or(-1), key}), rank());
  if (how.groups.empty()) return std::nullopt;
  onehop::transport& whole = transport_of(*this);
  const std::shared_ptr<exposed_memory> divided = exposed_memory::divide(*this, how);
  std::shared_ptr<onehop::transport> group;
  together(*this, [&] {
    if (how.mine == partition::none) return;
    group = whole.join_group(divided->id(), how);
    group->make_part_of(whole, how.members(), divided);
  });
  if (!group) return std::nullopt;
  context joined(std::move(group));
  joined.set_deadline(deadline());
  return joined;
}

int context::rank_in_job(int rank) const {
  if (rank < 0 || rank >= size())
    throw usage_error(text("context has no rank ", rank, ": give one from 0 to ", size() - 1));
  return transport_of(*this).rank_in_job(rank);
}
int context::rank_in_job() const noexcept { return transport_of(*this).rank_in_job(rank()); }

}  // namespace onehop
