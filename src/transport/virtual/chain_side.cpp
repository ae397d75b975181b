#include "transport/virtual/chain_side.hpp"

#include <algorithm>

#include "transport/virtual/team.hpp"

namespace onehop::virtual_machine {

chain_side::chain_side(team& ranks, chain_sides& all, chain_record& record, int rank)
    : team_(ranks), all_(all), record_(&record), rank_(rank) {
  for (const put_record& put : record.puts())
    puts_.push_back({&ranks.shared().ways.put_of(put.bytes, put.rows,
                                                 {ranks.member(rank), ranks.member(put.target)}),
                     put.target, put.arrival, put.rows});
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
    all_.carried().expect(chain_sides::key_of(arrival.origin, put, record_->begun()),
                          team_.member(arrival.origin), team_.member(rank_),
                          all_.at(arrival.origin).way(put));
  }
}

/// Fires a put as a message. On a machine described with one_buffer all puts of a chain have the
/// same address. A put of no bytes sends the notification only.
void chain_side::fire(const fired_put& what) {
  const std::uint64_t window = what.address >> 40 << 40;
  outgoing& put = puts_[what.put];
  const bool one_buffer = team_.shared().what.description.one_buffer;
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
  all_.carried().send(chain_sides::key_of(rank_, what.put, what.exchange), sent);
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
