#include "transport/virtual/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rma/copy_view.hpp"
#include "transport/virtual/transport.hpp"

namespace onehop::virtual_machine {

chain_side::chain_side(job& shared, chain_plan plan, int rank, memory_id window, memory_id own)
    : job_(shared), plan_(std::move(plan)), rank_(rank), window_(window), own_(own) {
  for (const planned_put& put : plan_.puts) {
    puts_.push_back({&job_.ways.put_of(put.source.bytes(), put.source.blocks), 0, 0, 0, {}});
    if (put.needs_credit) lane_to(put.target);
  }
  arrivals_.resize(plan_.arrivals.size());
  for (const planned_arrival& arrival : plan_.arrivals)
    if (arrival.gives_credit && std::ranges::find(creditors_, arrival.origin) == creditors_.end())
      creditors_.push_back(arrival.origin);
}

chain_side& chain_side::side(int rank) const { return *job_.side(own_, rank); }

const route& chain_side::way_of_arrival(std::size_t arrival) const {
  const planned_arrival& from = plan_.arrivals[arrival];
  return side(from.origin).way(static_cast<std::size_t>(from.put));
}

chain_side::lane& chain_side::lane_to(int target) {
  const auto found = std::ranges::find(lanes_, target, &lane::peer);
  return found != lanes_.end() ? *found : lanes_.emplace_back(lane{target, 0});
}

void chain_side::stir() {
  if (watched_ || complete(begun_)) job_.progress.wake(rank_);
}

void chain_side::begin(std::uint64_t exchange) {
  begun_ = exchange;
  free_ = 0;
  // The next exchange cannot have brought anything before this one began.
  here_[(exchange + 1) % 2] = 0;
  // That a bank is free takes no time: benchmarks of real machines do without, and a machine whose
  // protocol needs it says so by a grant.
  for (const int origin : creditors_) side(origin).take_credit(rank_);
  for (std::size_t index = 0; index < arrivals_.size(); ++index) {
    const protocol& how = way_of_arrival(index).how;
    const bool asked = arrivals_[index].requested[exchange % 2] == exchange;
    if (how.grant && (!how.request || asked)) grant(index, exchange);
  }
}

bool chain_side::ready(std::size_t put, std::uint64_t exchange) const {
  const planned_put& planned = plan_.puts[put];
  if (!planned.needs_credit) return true;
  const std::uint64_t credit = std::ranges::find(lanes_, planned.target, &lane::peer)->credit;
  return credit + static_cast<std::uint64_t>(plan_.banks) > exchange;
}

void chain_side::fire(std::size_t put, std::uint64_t exchange, bool first) {
  outgoing& out = puts_[put];
  out.fired = exchange;
  transfer& now = out.transfers[exchange % 2];
  now = {exchange, protocol_run(out.way->how, plan_.puts[put].source.bytes()), 0, 0, first};
  if (out.granted >= exchange) now.run.granted();
  go_on(put, now);
}

void chain_side::go_on(std::size_t put, transfer& now) {
  const planned_put& planned = plan_.puts[put];
  const auto arrival = static_cast<std::size_t>(planned.arrival);
  switch (now.run.next()) {
    case protocol_run::step::request:
      now.run.requested();
      job_.post.send(job_.ways.word(rank_, planned.target, puts_[put].way->request),
                     side(planned.target), name(news::request, arrival, now.exchange));
      // A grant may be there already.
      return go_on(put, now);
    case protocol_run::step::data:
      return send_data(put, now);
    case protocol_run::step::notice:
      now.run.noticed();
      job_.post.send(job_.ways.word(rank_, planned.target, puts_[put].way->notice), *this,
                     name(news::notice, put, now.exchange));
      return;
    default:
      return;
  }
}

/// Windows lie far apart, so that a machine's tables of pages tell them apart.
std::uint64_t chain_side::address_of(const planned_put& put, std::uint64_t exchange) const {
  return (std::uint64_t{window_} << 40) + plan_.bank_offset(put.target, exchange) +
         put.target_offset;
}

void chain_side::send_data(std::size_t put, transfer& now) {
  now.run.sent();
  const planned_put& planned = plan_.puts[put];
  const std::size_t blocks = now.run.blocks();
  now.unread = now.undelivered = blocks;
  for (std::size_t block = 0; block < blocks; ++block) {
    netsim::message sent =
        job_.ways.data(rank_, planned.target, *puts_[put].way, now.run.block(block));
    sent.pieces =
        static_cast<std::uint32_t>(std::max<std::size_t>(1, planned.source.blocks / blocks));
    sent.first_of_chain = now.first && block == 0;
    sent.address = address_of(planned, now.exchange) + block * puts_[put].way->how.block_bytes;
    job_.post.send(sent, *this, name(news::data, put, now.exchange));
  }
  // The notice follows the data on their way and does not overtake them.
  go_on(put, now);
}

bool chain_side::source_free(std::size_t put, std::uint64_t exchange) const {
  return puts_[put].free == exchange;
}

std::uint64_t chain_side::last_arrived(std::size_t arrival) const {
  return std::ranges::max(arrivals_[arrival].in);
}

void chain_side::source_free(std::uint32_t what) {
  if (static_cast<news>(what >> 1 & 7) != news::data) return;
  outgoing& out = puts_[what >> 4];
  transfer& now = out.transfers[what % 2];
  if (--now.unread > 0) return;
  out.free = now.exchange;
  ++free_;
  stir();
}

void chain_side::delivered(std::uint32_t what) {
  const std::size_t index = what >> 4;
  switch (static_cast<news>(what >> 1 & 7)) {
    case news::data: {
      transfer& now = puts_[index].transfers[what % 2];
      if (--now.undelivered == 0 && puts_[index].way->notice < 0) arrive(index, now.exchange);
      return;
    }
    case news::notice:
      return arrive(index, puts_[index].transfers[what % 2].exchange);
    case news::request: {
      // The exchange is the next of its parity.
      std::uint64_t& asked = arrivals_[index].requested[what % 2];
      asked = asked == 0 ? 2 - what % 2 : asked + 2;
      if (way_of_arrival(index).how.grant && begun_ >= asked) grant(index, asked);
      return;
    }
    case news::grant:
      return take_grant(index, ++puts_[index].granted);
  }
}

void chain_side::take_credit(int target) {
  ++lane_to(target).credit;
  job_.progress.wake(rank_);
}

void chain_side::grant(std::size_t arrival, std::uint64_t exchange) {
  const planned_arrival& from = plan_.arrivals[arrival];
  job_.post.send(job_.ways.word(rank_, from.origin, way_of_arrival(arrival).grant),
                 side(from.origin),
                 name(news::grant, static_cast<std::size_t>(from.put), exchange));
}

void chain_side::take_grant(std::size_t put, std::uint64_t exchange) {
  transfer& now = puts_[put].transfers[exchange % 2];
  if (now.exchange != exchange) return;
  now.run.granted();
  go_on(put, now);
}

void chain_side::arrive(std::size_t put, std::uint64_t exchange) {
  const planned_put& planned = plan_.puts[put];
  chain_side& there = side(planned.target);
  there.arrivals_[static_cast<std::size_t>(planned.arrival)].in[exchange % 2] = exchange;
  ++there.here_[exchange % 2];
  there.stir();
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
        planned.source.data == nullptr && planned.needs_credit)
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
    const local_view& source = side_.plan().puts[put].source;
    if (source.data != nullptr)
      copy_view(source, target_of(put, exchange));
    else if (!direct(put))
      copy_view(local_view::contiguous(staging_[put]), target_of(put, exchange));
    side_.fire(put, exchange, first);
    first = false;
  }
  return all;
}

bool endpoint::direct(std::size_t put) const {
  const planned_put& planned = side_.plan().puts[put];
  return planned.source.data == nullptr && !planned.needs_credit;
}

std::byte* endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  return direct(put) ? target_of(put, exchange) : staging_[put].data();
}

std::string endpoint::describe(std::size_t put) const {
  const bool credit = side_.plan().puts[put].needs_credit;
  return text(job_->ways.describe(side_.way(put)), credit ? ", with credit" : ", no credit");
}

}  // namespace onehop::virtual_machine
