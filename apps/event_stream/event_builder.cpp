#include "event_builder.hpp"

#include <algorithm>

namespace event_stream {

event_builder::event_builder(int sources, int turns, int turn, std::size_t payload_bytes)
    : sources_(static_cast<std::uint64_t>(sources)),
      turns_(static_cast<std::uint64_t>(turns)),
      turn_(static_cast<std::uint64_t>(turn)),
      payload_bytes_(payload_bytes),
      next_(static_cast<std::size_t>(sources)),
      slots_(sources > 1 ? 1024 : 1) {}

const built_event* event_builder::take(std::span<const std::byte>& bytes) {
  fragment_header header;
  if (bytes.size() < sizeof header) {
    ++faults_.damaged;
    bytes = {};
    return nullptr;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t size = fragment_bytes(header.hits, payload_bytes_);
  if (header.hits > most_hits || header.source >= sources_ || size > bytes.size()) {
    ++faults_.damaged;
    bytes = {};
    return nullptr;
  }
  const std::span<const std::byte> fragment = bytes.first(size);
  bytes = bytes.subspan(size);
  ++fragments_;
  bytes_ += size;
  if (checksum_of(fragment) != header.checksum) {
    ++faults_.damaged;
    return nullptr;
  }
  if (!accept(header)) return nullptr;
  slot& here = slot_of(header.event);
  built_event& event = here.event;
  if (here.fragments++ == 0) {
    event.event = header.event;
    event.time_ns = header.time_ns;
    event.hits = 0;
  } else if (event.time_ns != header.time_ns) {
    ++faults_.unlike;
  }
  const std::size_t room = most_hits - event.hits, hits = std::min<std::size_t>(header.hits, room);
  std::memcpy(event.at.data() + event.hits, fragment.data() + sizeof header, hits * sizeof(hit));
  event.hits = static_cast<std::uint16_t>(event.hits + hits);
  if (static_cast<std::uint64_t>(here.fragments) < sources_) return nullptr;
  here.fragments = 0;
  return &event;
}

bool event_builder::accept(const fragment_header& header) {
  std::uint64_t& next = next_[header.source];
  if (header.event < next) {
    ++faults_.out_of_order;
    return false;
  }
  next = header.event + 1;
  return true;
}

/// The fragments of each source come in order. An event that all sources have passed is therefore
/// complete or never will be, and the slots of turns before that event's turn are free. The ring
/// grows if a source is ahead of the others by more events than it holds.
event_builder::slot& event_builder::slot_of(std::uint64_t event) {
  if (sources_ == 1) return slots_.front();
  const std::uint64_t round = events_per_turn * turns_;
  const std::uint64_t number =
      event / round * events_per_turn + (event % round - turn_ * events_per_turn);
  const std::uint64_t first =
      (std::max<std::uint64_t>(1, *std::ranges::min_element(next_)) - 1) / round * events_per_turn;
  for (; base_ < first; ++base_) slots_[base_ % slots_.size()].fragments = 0;
  while (number >= base_ + slots_.size()) {
    std::vector<slot> longer(2 * slots_.size());
    for (std::uint64_t k = base_; k < base_ + slots_.size(); ++k)
      longer[k % longer.size()] = slots_[k % slots_.size()];
    slots_ = std::move(longer);
  }
  return slots_[number % slots_.size()];
}

}  // namespace event_stream
