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
                std::make_unique<stores::transport>(here.memory, number_of(here.ranks, far->rank()),
                                                    far->rank()),
                here) {}

transport::transport(std::string name, std::shared_ptr<onehop::transport> far,
                     std::unique_ptr<stores::transport> near, const node& here)
    : onehop::transport({far->rank(), far->size(), std::move(name), far->crowded()},
                        near->size() == far->size() ? near->rounds() : far->rounds(), far->time(),
                        *this),
      far_(std::move(far)),
      near_ranks_(static_cast<std::size_t>(far_->size()), elsewhere),
      ranks_here_(here.ranks),
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
  names both{};
  std::span<std::byte> mine;
  std::exception_ptr refusal;
  try {
    both.near = near_->expose(bytes_here);
    mine = near_->local(both.near);
  } catch (const resource_error&) {
    refusal = std::current_exception();
  }
  // Both transports count, also where this machine has no room.
  if (!whole()) both.far = far_->expose_existing(mine).value();
  by_id_.push_back(both);
  if (refusal) std::rethrow_exception(refusal);
  return id;
}

void transport::withdraw(memory_id memory) noexcept {
  if (!whole()) far_->withdraw(by_id_[memory].far);
  near_->withdraw(by_id_[memory].near);
}

std::span<std::byte> transport::local(memory_id memory) const {
  return near_->local(by_id_[memory].near);
}

std::size_t transport::endpoint_bytes(const chain_plan& plan) const {
  const divided_plan parts = divide(plan, near_ranks_, ranks_here_);
  return std::max(near_->endpoint_bytes(parts.near), far_->endpoint_bytes(parts.far));
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  divided_plan parts = divide(plan, near_ranks_, ranks_here_);
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
  // Whoever follows another rank must not tell of it as its own failure, on either transport. What
  // came by the one comes by the other too, unless that rank died.
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
