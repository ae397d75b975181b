#include "transport/mixed/transport.hpp"

#include <algorithm>
#include <exception>
#include <onehop/error.hpp>
#include <thread>

#include "transport/mixed/endpoint.hpp"

namespace onehop::mixed {
namespace {

int number_of(const std::vector<int>& ranks, int rank) {
  return static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
}

bool has_failed(failure& one) {
  try {
    one.poll();
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

transport::transport(std::string name, std::shared_ptr<onehop::transport> far, const node& here)
    : transport(std::move(name), far,
                std::make_shared<stores::transport>(here.memory, number_of(here.ranks, far->rank()),
                                                    far->rank()),
                here.ranks) {}

transport::transport(std::string name, std::shared_ptr<onehop::transport> far,
                     std::shared_ptr<onehop::transport> near, std::vector<int> ranks_here)
    : onehop::transport({far->rank(), far->size(), std::move(name), far->crowded()},
                        near->size() == far->size() ? near->rounds() : far->rounds(), far->time(),
                        *this),
      far_(std::move(far)),
      near_ranks_(static_cast<std::size_t>(far_->size()), elsewhere),
      ranks_here_(std::move(ranks_here)),
      near_(std::move(near)),
      choice_(*near_->channels(), whole()) {
  for (std::size_t number = 0; number < ranks_here_.size(); ++number)
    near_ranks_[static_cast<std::size_t>(ranks_here_[number])] = static_cast<int>(number);
}

memory_id transport::expose(std::span<const std::size_t> bytes_of_rank) {
  const auto id = static_cast<memory_id>(by_id_.size());
  std::vector<std::size_t> bytes_here;
  for (const int rank : ranks_here_)
    bytes_here.push_back(bytes_of_rank[static_cast<std::size_t>(rank)]);
  names both{0, 0, !whole()};
  std::span<std::byte> mine;
  std::exception_ptr refusal;
  try {
    both.near = near_->expose(bytes_here);
    mine = near_->local(both.near);
  } catch (const resource_error&) {
    refusal = std::current_exception();
  }
  // Both transports count, even if this machine has no room.
  if (both.in_both) both.far = far_->expose_existing(mine).value();
  by_id_.push_back(both);
  if (refusal) std::rethrow_exception(refusal);
  return id;
}

void transport::withdraw(memory_id memory) noexcept {
  if (by_id_[memory].in_both) far_->withdraw(by_id_[memory].far);
  near_->withdraw(by_id_[memory].near);
}

std::span<std::byte> transport::local(memory_id memory) const {
  return near_->local(by_id_[memory].near);
}

std::size_t transport::endpoint_bytes(const chain_plan& plan) const {
  const divided_plan parts = divide_plan(plan, near_ranks_);
  return std::max(near_->endpoint_bytes(parts.near), far_->endpoint_bytes(parts.far));
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  divided_plan parts = divide_plan(plan, near_ranks_);
  std::unique_ptr<onehop::endpoint> near, far;
  const auto is_empty = [](const chain_plan& part) {
    return part.puts.empty() && part.arrivals.empty();
  };
  if (!is_empty(parts.near))
    near = near_->make_endpoint(std::move(parts.near), by_id_[window].near, by_id_[own].near);
  if (!is_empty(parts.far))
    far = far_->make_endpoint(std::move(parts.far), by_id_[window].far, by_id_[own].far);
  return std::make_unique<endpoint>(std::move(near), std::move(far), std::move(parts.puts),
                                    std::move(parts.arrivals));
}

/// Returns the division restricted to this machine's ranks, with the groups that have any of them.
partition transport::near_part(const partition& how) const {
  partition near;
  for (std::size_t group = 0; group < how.groups.size(); ++group) {
    std::vector<int> here;
    for (const int rank : how.groups[group])
      if (near_rank(rank) != elsewhere) here.push_back(near_rank(rank));
    if (here.empty()) continue;
    if (static_cast<int>(group) == how.mine) near.mine = static_cast<int>(near.groups.size());
    near.groups.push_back(std::move(here));
  }
  return near;
}

memory_id transport::divide(const partition& how) {
  names both{0, 0, true};
  std::exception_ptr refusal;
  try {
    both.near = near_->divide(near_part(how));
  } catch (const resource_error&) {
    refusal = std::current_exception();
  }
  both.far = far_->divide(how);
  by_id_.push_back(both);
  if (refusal) {
    far_->withdraw(both.far);
    std::rethrow_exception(refusal);
  }
  return static_cast<memory_id>(by_id_.size() - 1);
}

std::shared_ptr<onehop::transport> transport::join_group(memory_id divided, const partition& how) {
  std::vector<int> ranks_here;
  for (const int rank : how.members())
    if (near_rank(rank) != elsewhere) ranks_here.push_back(how.number_of(rank));
  return std::make_shared<transport>(
      std::string(name()), far_->join_group(by_id_[divided].far, how),
      near_->join_group(by_id_[divided].near, near_part(how)), std::move(ranks_here));
}

void transport::poll() {
  near_->failures().poll();
  if (!whole()) far_->failures().poll();
}

void transport::probe() {
  near_->failures().probe();
  far_->failures().poll();
  far_->failures().probe();
}

bool transport::left(int rank) const noexcept {
  return far_->failures().left(rank) &&
         (near_rank(rank) == elsewhere || near_->failures().left(near_rank(rank)));
}

void transport::abandon(std::string_view reason) noexcept {
  using namespace std::chrono_literals;
  // If a rank fails because another one did, it must not report this as its own failure on either
  // transport. A reason that came by one transport also comes by the other, unless that rank died.
  if (has_failed(near_->failures())) {
    for (const auto end = time().now() + 500ms;
         !has_failed(far_->failures()) && time().now() < end;)
      std::this_thread::sleep_for(1ms);
  } else if (!has_failed(far_->failures())) {
    near_->failures().abandon(reason);
  }
  far_->failures().abandon(reason);
}

}  // namespace onehop::mixed
