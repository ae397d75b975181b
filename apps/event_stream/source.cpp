#include "source.hpp"

#include <algorithm>

namespace event_stream {

source::source(const event_table& table, const stream_settings& how, int number,
               std::unique_ptr<datagram_sender> out, decision_log* log)
    : table_(table),
      how_(how),
      number_(number),
      out_(std::move(out)),
      log_(log),
      payload_(how.payload_bytes),
      datagrams_(how.by_load ? 1 : static_cast<std::size_t>(how.consumers)),
      gather_ns_(static_cast<std::uint64_t>(how.gather_us * 1000)),
      decisions_come_(log != nullptr) {
  for (std::size_t k = 0; k < event_table::size; ++k)
    seen_.push_back(hits_of_source(table_.of(k), number, how.sources));
  for (std::size_t k = 0; k < payload_.size(); ++k)
    payload_[k] = static_cast<std::byte>(k * 131 + static_cast<std::size_t>(number));
}

source_account source::run(const run_clock& clock) {
  arrivals moments(how_.arrivals, how_.events_per_s, how_.seed);
  const std::uint64_t end_ns = how_.end_ns();
  for (std::uint64_t due_ns = moments.next(); due_ns < end_ns; due_ns = moments.next()) {
    if (due_ns > now_ns_) wait_until(due_ns, clock);
    write(account_.events++, due_ns, clock);
  }
  finish(clock);
  return account_;
}

void source::wait_until(std::uint64_t due_ns, const run_clock& clock) {
  now_ns_ = clock.now_ns();
  for (int turn = 0; now_ns_ < due_ns; ++turn) {
    const std::uint64_t next_ns = std::min(due_ns, send_old());
    listen(clock);
    clock.idle(turn, std::min(next_ns, now_ns_ + look_again_ns));
    now_ns_ = clock.now_ns();
  }
}

/// Sends the datagrams that have reached their largest age, and returns when the next one will.
std::uint64_t source::send_old() {
  std::uint64_t next_ns = ~std::uint64_t{0};
  for (open_datagram& one : datagrams_) {
    if (!one.open()) continue;
    if (now_ns_ >= one.since_ns + gather_ns_)
      send(one);
    else
      next_ns = std::min(next_ns, one.since_ns + gather_ns_);
  }
  // The source has time to spare here, so that no datagram is held back to travel with others.
  out_->push();
  return next_ns;
}

void source::write(std::uint64_t event, std::uint64_t time_ns, const run_clock& clock) {
  const auto consumer = how_.by_load ? 0 : event / events_per_turn % datagrams_.size();
  open_datagram& one = datagrams_[consumer];
  const seen_hits& seen = seen_[event % event_table::size];
  const std::size_t size = fragment_bytes(seen.hits, payload_.size());
  if (one.open() && one.used + size > one.place.bytes.size()) send(one);
  if (!one.open()) {
    const int receiver =
        how_.by_load ? datagram_sender::any : how_.sources + static_cast<int>(consumer);
    open(one, receiver, clock);
    one.since_ns = time_ns;
  }
  std::byte* const at = one.place.bytes.data() + one.used;
  fragment_header header{event, time_ns, static_cast<std::uint16_t>(number_), seen.hits, 0};
  std::memcpy(at, &header, sizeof header);
  std::memcpy(at + sizeof header, seen.at.data(), hit_bytes(seen.hits));
  if (!payload_.empty())
    std::memcpy(at + sizeof header + hit_bytes(seen.hits), payload_.data(), payload_.size());
  header.checksum = checksum_of({at, size});
  std::memcpy(at, &header, sizeof header);
  one.used += size;
  account_.bytes += size;
}

void source::open(open_datagram& one, int receiver, const run_clock& clock) {
  listen(clock);
  one.used = 0;
  one.place = out_->try_open(receiver);
  if (one.open()) return;
  const std::uint64_t begin_ns = clock.now_ns();
  for (int turn = 0; !one.open(); ++turn) {
    listen(clock);
    clock.idle(turn, clock.now_ns() + look_again_ns);
    one.place = out_->try_open(receiver);
  }
  now_ns_ = clock.now_ns();
  account_.back_pressure_ns += now_ns_ - begin_ns;
}

void source::send(open_datagram& one) {
  out_->send(one.place, one.used);
  one.place = {};
}

void source::listen(const run_clock& clock) {
  if (decisions_come_) decisions_come_ = log_->take(clock);
}

void source::finish(const run_clock& clock) {
  for (open_datagram& one : datagrams_)
    if (one.open()) send(one);
  for (int turn = 0; !out_->try_close(); ++turn) {
    listen(clock);
    clock.idle(turn, clock.now_ns() + look_again_ns);
  }
  for (int turn = 0; decisions_come_; ++turn) {
    listen(clock);
    if (decisions_come_) clock.idle(turn, clock.now_ns() + look_again_ns);
  }
}

}  // namespace event_stream
