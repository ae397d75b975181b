#include "transport/virtual/chain_side.hpp"

#include <algorithm>

#include "transport/virtual/team.hpp"

namespace onehop::virtual_machine {

chain_side::chain_side(team& ranks, chain_sides& all, chain_record& record, int rank)
    : team_(ranks), all_(all), record_(&record), rank_(rank) {
  for (const put_record& put : record.puts())
    puts_.push_back({&ranks.shared().ways.put_of(put.bytes, put.rows,
                                                 {ranks.member(rank), ranks.member(put.target)}),
                     put.target, put.arrival, put.rows, put.modelled != 0});
  for (const arrival_record& arrival : record.arrivals())
    if (arrival.gives_credit != 0 &&
        std::ranges::find(creditors_, arrival.origin) == creditors_.end())
      creditors_.push_back(arrival.origin);
}

void chain_side::begin() {
  // The credit of a free bank takes no time: benchmarks of real machines do without it, and a
  // machine whose protocol needs it says so by a grant.
  for (const int origin : creditors_) all_.at(origin).take_credit(rank_);
  for (const arrival_record& arrival : record_->arrivals()) {
    const auto put = static_cast<std::size_t>(arrival.put);
    if (all_.at(arrival.origin).is_modelled(put)) continue;
    all_.carried().expect(chain_sides::key_of(arrival.origin, put, record_->begun()),
                          team_.member(arrival.origin), team_.member(rank_),
                          all_.at(arrival.origin).way(put));
  }
}

/// Fires a put as a message. On a machine described with one_buffer all puts of a chain have the
/// same address. So have puts that stand for messages, since a program of messages has its buffers
/// elsewhere. A put of no bytes sends the notification only.
void chain_side::fire(const fired_put& what) {
  const std::uint64_t window = what.address >> 40 << 40;
  outgoing& put = puts_[what.put];
  const bool one_buffer = team_.shared().what.description.one_buffer || put.modelled;
  const std::uint64_t address = one_buffer ? window : what.address;
  put.fired = what.exchange;
  put.sent_bytes[what.exchange % 2] = what.bytes;
  const netsim::parcel sent{team_.member(rank_),
                            team_.member(put.target),
                            std::max<std::size_t>(1, what.bytes),
                            put.way,
                            what.first,
                            address,
                            put.rows};
  if (put.modelled) return fire_as(what, sent);
  all_.carried().send(chain_sides::key_of(rank_, what.put, what.exchange), sent);
}

/// Fires a put that stands for another message than one of its own bytes.
void chain_side::fire_as(const fired_put& what, netsim::parcel sent) {
  using enum modelled_message::part;
  const std::uint64_t key = chain_sides::key_of(rank_, what.put, what.exchange);
  modelled_message as = what.stands_for;
  if (as.what == modelled_message::put) as = {message, what.bytes};
  if (as.what == nothing) {
    all_.left(key);
    return all_.came(key);
  }
  const bool has_data = as.what == message || as.what == data;
  const std::size_t bytes = std::max<std::size_t>(1, as.bytes);
  sent.bytes = has_data ? bytes : netsim::routes::word_bytes;
  sent.way = &all_.alone(as.what, team_.shared().ways.put_of(bytes, 1, {sent.origin, sent.target}));
  sent.rows = 1;
  all_.carried().send(key, sent);
}

void chain_side::left(std::size_t put, unsigned parity) {
  if (record_ == nullptr) return;
  record_->note_free(put, puts_[put].last_fired(parity));
  if (record_->is_due()) team_.wake(rank_);
}

void chain_side::came(std::size_t put, unsigned parity) {
  const outgoing& sent = puts_[put];
  all_.at(sent.target)
      .note_arrival(static_cast<std::size_t>(sent.arrival), sent.last_fired(parity),
                    sent.sent_bytes[parity]);
}

void chain_side::note_arrival(std::size_t arrival, std::uint64_t exchange, std::uint64_t bytes) {
  if (record_ == nullptr) return;
  record_->note_arrival(arrival, exchange, bytes);
  if (record_->is_due()) team_.wake(rank_);
}

void chain_side::take_credit(int target) {
  if (record_ == nullptr) return;
  for (put_record& put : record_->puts())
    if (put.target == target) ++put.credit;
  team_.wake(rank_);
}

chain_sides::chain_sides(team& ranks)
    : handshakes_(ranks.shared().messages, ranks.shared().ways, *this),
      sides_(static_cast<std::size_t>(ranks.size())) {}

void chain_sides::add(std::unique_ptr<chain_side> side, int rank) {
  sides_[static_cast<std::size_t>(rank)] = std::move(side);
}

const netsim::protocol& chain_sides::alone(modelled_message::part what,
                                           const netsim::protocol& way) {
  const auto [found, is_new] = alone_.try_emplace({what, &way}, way);
  netsim::protocol& made = found->second;
  if (!is_new) return made;
  made.grant = made.credit = -1;
  // A message that goes without a grant may still be announced; one that was granted has been.
  if (what != modelled_message::message) made.request = -1;
  if (what == modelled_message::message || what == modelled_message::data) return made;
  const std::int32_t path = what == modelled_message::grant ? way.grant : way.request;
  // Where the protocol has no such message, a word goes as any other.
  if (path >= 0) made.path = path;
  made.block_bytes = 0;
  made.notice = -1;
  return made;
}

bool chain_sides::is_last_to_go(int rank) noexcept {
  at(rank).forget_record();
  return ++gone_ == sides_.size();
}

void chain_sides::left(std::uint64_t key) {
  at(static_cast<int>(key >> 32)).left((key & UINT32_MAX) >> 1, key & 1);
}

void chain_sides::came(std::uint64_t key) {
  at(static_cast<int>(key >> 32)).came((key & UINT32_MAX) >> 1, key & 1);
}

}  // namespace onehop::virtual_machine
