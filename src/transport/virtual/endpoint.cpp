#include "transport/virtual/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rma/copy_view.hpp"
#include "transport/virtual/transport.hpp"

namespace onehop::virtual_machine {

chain_side::chain_side(job& shared, chain_sides& all, chain_plan plan, int rank, memory_id window)
    : job_(shared), all_(all), plan_(std::move(plan)), rank_(rank), window_(window) {
  for (const planned_put& put : plan_.puts) {
    puts_.push_back({&job_.ways.put_of(put.source.bytes(), put.source.blocks)});
    if (put.needs_credit) credit_of(put.target);
  }
  arrivals_.resize(plan_.arrivals.size());
  arrived_bytes_.resize(plan_.arrivals.size());
  for (const planned_arrival& arrival : plan_.arrivals)
    if (arrival.gives_credit && std::ranges::find(creditors_, arrival.origin) == creditors_.end())
      creditors_.push_back(arrival.origin);
}

chain_side::target_credit& chain_side::credit_of(int target) {
  const auto found = std::ranges::find(credits_, target, &target_credit::target);
  return found != credits_.end() ? *found : credits_.emplace_back(target_credit{target});
}

void chain_side::wake_if_due() {
  if (watched_ || complete(begun_)) job_.progress.wake(rank_);
}

void chain_side::begin(std::uint64_t exchange) {
  begun_ = exchange;
  free_ = 0;
  // The next exchange cannot have brought anything before this one began.
  here_[(exchange + 1) % 2] = 0;
  // That a bank is free takes no time: benchmarks of real machines do without, and a machine whose
  // protocol needs it says so by a grant.
  for (const int origin : creditors_) all_.at(origin).take_credit(rank_);
  for (const planned_arrival& arrival : plan_.arrivals) {
    const auto put = static_cast<std::size_t>(arrival.put);
    all_.carried().expect(chain_sides::key_of(arrival.origin, put, exchange), arrival.origin, rank_,
                          all_.at(arrival.origin).way(put));
  }
}

bool chain_side::ready(std::size_t put, std::uint64_t exchange) const {
  const planned_put& planned = plan_.puts[put];
  if (!planned.needs_credit) return true;
  const auto found = std::ranges::find(credits_, planned.target, &target_credit::target);
  return found->exchange + static_cast<std::uint64_t>(plan_.banks) > exchange;
}

/// Windows lie far apart, so that a machine's tables of pages tell them apart. Of a put of no bytes
/// the notification travels.
void chain_side::fire(std::size_t put, std::uint64_t exchange, bool first) {
  const planned_put& planned = plan_.puts[put];
  puts_[put].fired = exchange;
  const std::size_t bytes = plan_.size_of(planned);
  puts_[put].sent_bytes[exchange % 2] = bytes;
  const std::uint64_t address = (std::uint64_t{window_} << 40) +
                                plan_.bank_offset(planned.target, exchange) + planned.target_offset;
  all_.carried().send(chain_sides::key_of(rank_, put, exchange),
                      {rank_, planned.target, std::max<std::size_t>(1, bytes), puts_[put].way,
                       first, address, planned.source.blocks});
}

std::uint64_t chain_side::last_arrived(std::size_t arrival) const {
  return std::ranges::max(arrivals_[arrival]);
}

void chain_side::left(std::size_t put, unsigned parity) {
  puts_[put].free = last_fired(put, parity);
  ++free_;
  wake_if_due();
}

void chain_side::came(std::size_t arrival, std::uint64_t exchange, std::size_t bytes) {
  arrived_bytes_[arrival][exchange % 2] = bytes;
  arrivals_[arrival][exchange % 2] = exchange;
  ++here_[exchange % 2];
  wake_if_due();
}

void chain_side::take_credit(int target) {
  ++credit_of(target).exchange;
  job_.progress.wake(rank_);
}

chain_sides::chain_sides(job& shared)
    : handshakes_(shared.messages, shared.ways, *this), sides_(shared.members.size()) {}

chain_side& chain_sides::add(std::unique_ptr<chain_side> side, int rank) {
  return *(sides_[static_cast<std::size_t>(rank)] = std::move(side));
}

void chain_sides::left(std::uint64_t key) {
  at(static_cast<int>(key >> 32)).left((key & UINT32_MAX) >> 1, key & 1);
}

void chain_sides::came(std::uint64_t key) {
  const chain_side& origin = at(static_cast<int>(key >> 32));
  const std::size_t put = (key & UINT32_MAX) >> 1;
  const planned_put& planned = origin.plan().puts[put];
  at(planned.target)
      .came(static_cast<std::size_t>(planned.arrival), origin.last_fired(put, key & 1),
            origin.sent_bytes(put, key & 1));
}

endpoint::endpoint(std::shared_ptr<job> shared, chain_plan plan, int rank, memory_id window,
                   memory_id own)
    : job_(std::move(shared)),
      side_(job_->add_side(std::move(plan), rank, window, own)),
      rank_(rank),
      window_(window),
      staging_(side_.plan().puts.size()) {
  for (std::size_t put = 0; put < staging_.size(); ++put)
    if (const planned_put& planned = side_.plan().puts[put];
        planned.source.data == nullptr && !direct(put))
      staging_[put].resize(planned.source.bytes());
}

std::byte* endpoint::target_of(std::size_t put, std::uint64_t exchange) const {
  const planned_put& planned = side_.plan().puts[put];
  const std::size_t bank = side_.plan().bank_offset(planned.target, exchange);
  return job_->memory.share(window_, planned.target).data() + bank + planned.target_offset;
}

// The bytes are moved when a put is fired, which the rules of puts allow; that they have arrived is
// told when their messages have.
bool endpoint::start(std::uint64_t exchange) {
  if (side_.begun() != exchange) side_.begin(exchange);
  bool all = true, first = true;
  for (std::size_t put = 0; put < staging_.size(); ++put) {
    if (side_.fired(put) == exchange) continue;
    if (!side_.ready(put, exchange)) {
      all = false;
      continue;
    }
    const planned_put& planned = side_.plan().puts[put];
    local_view source = side_.plan().sent_by(planned);
    if (source.data == nullptr && !direct(put))
      source =
          local_view::contiguous(std::span(staging_[put]).first(side_.plan().size_of(planned)));
    if (source.data != nullptr && source.bytes() > 0) copy_view(source, target_of(put, exchange));
    side_.fire(put, exchange, first);
    first = false;
  }
  return all;
}

bool endpoint::ready(std::uint64_t exchange) {
  for (std::size_t put = 0; put < staging_.size(); ++put)
    if (!side_.ready(put, exchange)) return false;
  return true;
}

bool endpoint::direct(std::size_t put) const {
  const planned_put& planned = side_.plan().puts[put];
  return planned.source.data == nullptr && (!planned.needs_credit || planned.packed_when_ready);
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  return direct(put) ? target_of(put, exchange) : staging_[put].data();
}

std::string endpoint::describe(std::size_t put) const {
  const bool credit = side_.plan().puts[put].needs_credit;
  return text(job_->ways.describe(side_.way(put)), credit ? ", with credit" : ", no credit");
}

}  // namespace onehop::virtual_machine
