#include "transport/mixed/endpoint.hpp"

namespace onehop::mixed {
namespace {

template <class Planned>
void divide_list(const std::vector<Planned>& whole, int Planned::*peer,
                 const std::vector<int>& near_ranks, std::vector<Planned>& near,
                 std::vector<Planned>& far, std::vector<whereabouts>& places) {
  for (const Planned& one : whole) {
    const int number = near_ranks[static_cast<std::size_t>(one.*peer)];
    std::vector<Planned>& part = number < 0 ? far : near;
    places.push_back({number >= 0, part.size()});
    part.push_back(one);
    if (number >= 0) part.back().*peer = number;
  }
}

}  // namespace

divided_plan divide_plan(const chain_plan& plan, const std::vector<int>& near_ranks) {
  divided_plan parts;
  parts.near.sizes = parts.far.sizes = plan.sizes;
  parts.near.held = parts.far.held = plan.held;
  parts.near.banks = parts.far.banks = plan.banks;
  parts.near.in_turns = parts.far.in_turns = plan.in_turns;
  parts.near.own_stride = parts.far.own_stride = plan.own_stride;
  divide_list(plan.puts, &planned_put::target, near_ranks, parts.near.puts, parts.far.puts,
              parts.puts);
  divide_list(plan.arrivals, &planned_arrival::origin, near_ranks, parts.near.arrivals,
              parts.far.arrivals, parts.arrivals);
  return parts;
}

endpoint::endpoint(std::unique_ptr<onehop::endpoint> near, std::unique_ptr<onehop::endpoint> far,
                   std::vector<whereabouts> puts, std::vector<whereabouts> arrivals)
    : near_(std::move(near)),
      far_(std::move(far)),
      puts_(std::move(puts)),
      arrivals_(std::move(arrivals)) {}

bool endpoint::start(std::uint64_t exchange) {
  // Messages travel while the stores are made, so they are started first.
  const bool sent = !far_ || far_->start(exchange);
  const bool stored = !near_ || near_->start(exchange);
  return sent && stored;
}

bool endpoint::ready(std::uint64_t exchange) {
  return (!far_ || far_->ready(exchange)) && (!near_ || near_->ready(exchange));
}

bool endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return of(puts_[put]).fired(puts_[put].index, exchange);
}

bool endpoint::arrived(std::size_t arrival, std::uint64_t exchange) {
  return of(arrivals_[arrival]).arrived(arrivals_[arrival].index, exchange);
}

std::uint64_t endpoint::last_arrived(std::size_t arrival) const {
  return of(arrivals_[arrival]).last_arrived(arrivals_[arrival].index);
}

std::size_t endpoint::arrived_bytes(std::size_t arrival, std::uint64_t exchange) const {
  return of(arrivals_[arrival]).arrived_bytes(arrivals_[arrival].index, exchange);
}

bool endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  return of(puts_[put]).source_free(puts_[put].index, exchange);
}

std::optional<bool> endpoint::complete(std::uint64_t exchange) {
  if (far_) return std::nullopt;
  return near_ ? near_->complete(exchange) : true;
}

const std::byte* endpoint::arrival_memory(std::size_t arrival, std::uint64_t exchange) const {
  return of(arrivals_[arrival]).arrival_memory(arrivals_[arrival].index, exchange);
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  return of(puts_[put]).packing_memory(puts_[put].index, exchange);
}

bool endpoint::direct(std::size_t put) const { return of(puts_[put]).direct(puts_[put].index); }

bool endpoint::streaming(std::size_t put) const {
  return of(puts_[put]).streaming(puts_[put].index);
}

std::string endpoint::describe(std::size_t put) const {
  return of(puts_[put]).describe(puts_[put].index);
}

}  // namespace onehop::mixed
