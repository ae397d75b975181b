#include "transport/virtual/carrier.hpp"

namespace onehop::virtual_machine {

std::uint32_t carrier::fresh(std::uint64_t key) {
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
  } else {
    slot = unused_.back();
    unused_.pop_back();
    transfers_[slot] = {};
  }
  transfers_[slot].key = key;
  return slot;
}

std::uint32_t carrier::open(std::uint64_t key, const route& way) {
  if (!way.how.grant) return fresh(key);
  if (const auto found = half_open_.find(key); found != half_open_.end()) {
    const std::uint32_t slot = found->second;
    half_open_.erase(found);
    return slot;
  }
  const std::uint32_t slot = fresh(key);
  half_open_.emplace(key, slot);
  return slot;
}

void carrier::close_if_over(std::uint32_t slot) {
  if (transfers_[slot].here && transfers_[slot].unread == 0) unused_.push_back(slot);
}

void carrier::say(int origin, int target, int path, news what, std::uint32_t slot) {
  ++messages_;
  post_.send(ways_.word(origin, target, path), *this, name(what, slot));
}

void carrier::expect(std::uint64_t key, int origin, int target, const route& way) {
  if (!way.how.grant) return;
  const std::uint32_t slot = open(key, way);
  transfer& now = transfers_[slot];
  now.expected = true;
  if (!now.sent) now.what = {origin, target, 0, &way};
  if (!way.how.request || now.asked) grant(slot);
}

void carrier::send(std::uint64_t key, const parcel& what) {
  const std::uint32_t slot = open(key, *what.way);
  transfer& now = transfers_[slot];
  now.sent = true;
  now.what = what;
  now.run = protocol_run(what.way->how, what.bytes);
  if (now.granted) now.run.granted();
  go_on(slot);
}

void carrier::grant(std::uint32_t slot) {
  const parcel& what = transfers_[slot].what;
  say(what.target, what.origin, what.way->grant, news::grant, slot);
}

void carrier::go_on(std::uint32_t slot) {
  transfer& now = transfers_[slot];
  const parcel& what = now.what;
  switch (now.run.next()) {
    case protocol_run::step::request:
      now.run.requested();
      say(what.origin, what.target, what.way->request, news::request, slot);
      return go_on(slot);
    case protocol_run::step::data:
      now.run.sent();
      send_blocks(slot);
      // The notice follows the data on their way and does not overtake them.
      return go_on(slot);
    case protocol_run::step::notice:
      now.run.noticed();
      return say(what.origin, what.target, what.way->notice, news::notice, slot);
    default:
      return;
  }
}

void carrier::send_blocks(std::uint32_t slot) {
  transfer& now = transfers_[slot];
  const parcel& what = now.what;
  const std::size_t blocks = now.run.blocks();
  now.unread = now.undelivered = blocks;
  messages_ += blocks;
  for (std::size_t block = 0; block < blocks; ++block) {
    netsim::message sent = ways_.data(what.origin, what.target, *what.way, now.run.block(block));
    sent.first_of_chain = what.first_of_chain && block == 0;
    sent.address = what.address + block * what.way->how.block_bytes;
    post_.send(sent, *this, name(news::data, slot));
  }
}

void carrier::source_free(std::uint32_t what) {
  if (static_cast<news>(what & 3) != news::data) return;
  const std::uint32_t slot = what >> 2;
  if (--transfers_[slot].unread > 0) return;
  const std::uint64_t key = transfers_[slot].key;
  close_if_over(slot);
  who_.left(key);
}

void carrier::delivered(std::uint32_t what) {
  const std::uint32_t slot = what >> 2;
  transfer& now = transfers_[slot];
  switch (static_cast<news>(what & 3)) {
    case news::data:
      if (--now.undelivered == 0 && !now.what.way->how.notice) arrive(slot);
      return;
    case news::notice:
      return arrive(slot);
    case news::request:
      now.asked = true;
      if (now.what.way->how.grant && now.expected) grant(slot);
      return;
    case news::grant:
      now.granted = true;
      if (!now.sent) return;
      now.run.granted();
      return go_on(slot);
  }
}

void carrier::arrive(std::uint32_t slot) {
  const std::uint64_t key = transfers_[slot].key;
  transfers_[slot].here = true;
  close_if_over(slot);
  who_.came(key);
}

}  // namespace onehop::virtual_machine
