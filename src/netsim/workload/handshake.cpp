#include "netsim/workload/handshake.hpp"

#include <algorithm>

namespace onehop::netsim {
namespace {

std::size_t blocks_of(const protocol& way, std::size_t bytes) {
  if (way.block_bytes == 0) return 1;
  return std::max<std::size_t>(1, (bytes + way.block_bytes - 1) / way.block_bytes);
}

/// Returns whether the target must also act before the data of a handshake are in place.
bool asks_target(const protocol& way) { return way.grant >= 0 || way.credit >= 0; }

}  // namespace

std::uint64_t messages_of(const protocol& way, std::size_t bytes) {
  const int control = (way.request >= 0) + (way.grant >= 0) + (way.notice >= 0) + (way.credit >= 0);
  return blocks_of(way, bytes) + static_cast<std::uint64_t>(control);
}

std::uint32_t handshakes::fresh(std::uint64_t key) {
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(all_.add());
  } else {
    slot = unused_.back();
    unused_.pop_back();
    all_[slot] = {};
  }
  all_[slot].key = key;
  return slot;
}

std::uint32_t handshakes::open(std::uint64_t key, const protocol& way) {
  if (!asks_target(way)) return fresh(key);
  if (const auto found = half_open_.find(key); found != half_open_.end()) {
    const std::uint32_t slot = found->second;
    half_open_.erase(found);
    return slot;
  }
  const std::uint32_t slot = fresh(key);
  half_open_.emplace(key, slot);
  return slot;
}

void handshakes::close_if_over(std::uint32_t slot) {
  if (all_[slot].here && all_[slot].unread == 0) unused_.push_back(slot);
}

/// Sends a control message: a grant goes from the target to the origin, a credit from the target to
/// itself, all others from the origin to the target.
void handshakes::control(std::uint32_t slot, part what) {
  const handshake& of = all_[slot];
  ++messages_;
  if (what == part::credit)
    return dispatcher_.copy(ways_.between(of.target, of.target, of.way->credit), *this,
                            name(what, slot));
  const bool is_grant = what == part::grant;
  const int path = is_grant                ? of.way->grant
                   : what == part::request ? of.way->request
                                           : of.way->notice;
  dispatcher_.send(
      ways_.between(is_grant ? of.target : of.origin, is_grant ? of.origin : of.target, path),
      *this, name(what, slot));
}

void handshakes::expect(std::uint64_t key, int origin, int target, const protocol& way) {
  if (!asks_target(way)) return;
  const std::uint32_t slot = open(key, way);
  handshake& now = all_[slot];
  now.expected = true;
  if (!now.sent) now.goes(origin, target, way);
  if (way.credit >= 0) control(slot, part::credit);
  if (way.grant >= 0 && (way.request < 0 || now.requested)) control(slot, part::grant);
}

void handshakes::send(std::uint64_t key, const parcel& what) {
  const std::uint32_t slot = open(key, *what.way);
  handshake& now = all_[slot];
  now.sent = true;
  now.goes(what.origin, what.target, *what.way);
  if (what.way->request >= 0) control(slot, part::request);
  if (what.way->grant < 0 || now.is_granted) return send_data(slot, what);
  now.kept = kept_.add();
  kept_[now.kept].what = what;
}

void handshakes::send_kept(std::uint32_t slot) {
  const std::uint32_t kept = all_[slot].kept;
  const parcel what = kept_[kept].what;
  kept_.remove(kept);
  send_data(slot, what);
}

/// Sends the data, then the notice, which follows on the same path and cannot overtake them.
void handshakes::send_data(std::uint32_t slot, const parcel& what) {
  const std::size_t block = what.way->block_bytes;
  const std::size_t blocks = blocks_of(*what.way, what.bytes);
  all_[slot].unread = all_[slot].undelivered = static_cast<std::uint32_t>(blocks);
  messages_ += blocks;
  for (std::size_t each = 0; each < blocks; ++each) {
    const std::size_t done = each * block;
    const std::size_t bytes = each + 1 == blocks ? what.bytes - done : block;
    message sent = ways_.between(what.origin, what.target, what.way->path, bytes);
    sent.pieces = static_cast<std::uint32_t>(std::max<std::size_t>(1, what.rows / blocks));
    sent.first_of_chain = what.first_of_chain && each == 0;
    sent.address = what.address + done;
    dispatcher_.send(sent, *this, name(part::data, slot));
  }
  if (what.way->notice >= 0) control(slot, part::notice);
}

void handshakes::source_free(std::uint32_t name) {
  if (part_of(name) != part::data) return;
  const std::uint32_t slot = name >> part_bits;
  if (--all_[slot].unread > 0) return;
  const std::uint64_t key = all_[slot].key;
  close_if_over(slot);
  who_.left(key);
}

void handshakes::delivered(std::uint32_t name) {
  const std::uint32_t slot = name >> part_bits;
  handshake& now = all_[slot];
  switch (part_of(name)) {
    case part::data:
      if (--now.undelivered == 0 && now.way->notice < 0) arrive(slot);
      return;
    case part::notice:
      return arrive(slot);
    case part::request:
      now.requested = true;
      if (now.way->grant >= 0 && now.expected) control(slot, part::grant);
      return;
    case part::grant:
      now.is_granted = true;
      if (now.sent) send_kept(slot);
      return;
    case part::credit:
      now.is_let_in = true;
      if (now.came) arrive(slot);
  }
}

/// Records that all of a parcel has come; it is in place once the target has also admitted it.
void handshakes::arrive(std::uint32_t slot) {
  const std::uint64_t key = all_[slot].key;
  all_[slot].came = true;
  if (all_[slot].way->credit >= 0 && !all_[slot].is_let_in) return;
  all_[slot].here = true;
  close_if_over(slot);
  who_.came(key);
}

}  // namespace onehop::netsim
