#include "transport/virtual/packet_dispatcher.hpp"

#include <algorithm>

namespace onehop::virtual_machine {
namespace {

std::uint64_t pair_of(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

}  // namespace

packet_dispatcher::packet_dispatcher(job& shared)
    : job_(shared),
      handshakes_(shared.messages, shared.ways, *this),
      boxes_(static_cast<std::size_t>(shared.size())) {}

void packet_dispatcher::send(int from, int to, std::span<const std::byte> head,
                             std::span<const std::byte> body, const modelled_message& stands_for) {
  auto made = std::make_unique<packet>(packet{from, to, {}});
  packet& one = *made;
  one.bytes.reserve(head.size() + body.size());
  one.bytes.insert(one.bytes.end(), head.begin(), head.end());
  one.bytes.insert(one.bytes.end(), body.begin(), body.end());
  at(from).under_way += one.bytes.size();
  under_way_[pair_of(from, to)].push_back(std::move(made));
  const std::uint64_t key = key_of(&one);
  if (stands_for.what == modelled_message::nothing) return came(key);
  handshakes_.send(key, parcel_of(one, stands_for));
}

std::uint64_t packet_dispatcher::key_of(packet* one) {
  if (unused_keys_.empty()) {
    by_key_.push_back(one);
    return by_key_.size() - 1;
  }
  const std::uint64_t key = unused_keys_.back();
  unused_keys_.pop_back();
  by_key_[key] = one;
  return key;
}

/// A program of messages has its buffers elsewhere, so that all packets have the same address.
netsim::parcel packet_dispatcher::parcel_of(const packet& one, const modelled_message& stands_for) {
  using enum modelled_message::part;
  const bool has_data = stands_for.what == message || stands_for.what == data;
  const std::size_t bytes = std::max<std::size_t>(1, stands_for.bytes);
  const netsim::protocol& way = job_.ways.put_of(bytes, 1, {one.from, one.to});
  return {.origin = one.from,
          .target = one.to,
          .bytes = has_data ? bytes : netsim::routes::word_bytes,
          .way = &alone(stands_for.what, way)};
}

/// Returns the protocol of one message of those that a protocol makes of a put.
const netsim::protocol& packet_dispatcher::alone(modelled_message::part what,
                                                 const netsim::protocol& way) {
  const auto [found, is_new] = alone_.try_emplace({what, &way}, way);
  netsim::protocol& made = found->second;
  if (!is_new) return made;
  made.grant = made.credit = -1;
  // A message that goes without a grant may still be announced; one that was granted has been.
  if (what != modelled_message::message) made.request = -1;
  if (what == modelled_message::message || what == modelled_message::data) return made;
  const std::int32_t path = what == modelled_message::grant ? way.grant : way.request;
  // A protocol without such a message sends a word like any other.
  if (path >= 0) made.path = path;
  made.block_bytes = 0;
  made.notice = -1;
  return made;
}

/// A packet that takes less time than one sent before waits for that one.
void packet_dispatcher::came(std::uint64_t key) {
  packet& one = *by_key_[key];
  one.here = true;
  unused_keys_.push_back(key);
  const int to = one.to;
  const auto found = under_way_.find(pair_of(one.from, to));
  auto& sent = found->second;
  if (!sent.front()->here) return;
  for (; !sent.empty() && sent.front()->here; sent.pop_front())
    at(to).come.push_back(std::move(sent.front()));
  if (sent.empty()) under_way_.erase(found);
  job_.progress.wake(to);
}

const packet_dispatcher::packet* packet_dispatcher::next(int rank) const {
  const auto& come = at(rank).come;
  return come.empty() ? nullptr : come.front().get();
}

void packet_dispatcher::take(int rank) {
  const packet& taken = *at(rank).come.front();
  const int from = taken.from;
  at(from).under_way -= taken.bytes.size();
  at(rank).come.pop_front();
  wake_if_below(from);
}

void packet_dispatcher::wake_below(int rank, std::size_t bytes) {
  at(rank).wakes_below = bytes;
  wake_if_below(rank);
}

void packet_dispatcher::wake_if_below(int rank) {
  box& mine = at(rank);
  if (mine.wakes_below == never_below || mine.under_way > mine.wakes_below) return;
  mine.wakes_below = never_below;
  job_.progress.wake(rank);
}

}  // namespace onehop::virtual_machine
