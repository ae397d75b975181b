#include "transport/virtual/processes/mailbox.hpp"

#include <algorithm>
#include <cstring>

#include "transport/base/mail.hpp"

namespace onehop::virtual_machine {

std::size_t mailbox::bytes_for(int ranks) noexcept {
  // The mailboxes of all ranks together take at most this much memory where that leaves each a few
  // packets.
  constexpr std::size_t most_memory = std::size_t{64} << 20, longest = std::size_t{1} << 20;
  const std::size_t half = most_memory / 2 / static_cast<std::size_t>(ranks);
  return sizeof(mailbox) +
         2 * std::clamp<std::size_t>(half / stores::page_bytes * stores::page_bytes,
                                     4 * mail::most_bytes, longest);
}

void mailbox::collect(packet_dispatcher& packets, int rank) {
  for (std::uint64_t done = 0; done < sent;) {
    entry& one = sent_at(done);
    packets.send(rank, one.peer, {}, {bytes_of(one), one.bytes}, one.stands_for);
    done += room_for(one.bytes);
  }
  sent = 0;
  if (wakes_at != 0) packets.wake_below(rank, wakes_at - 1);
  wakes_at = 0;
}

void mailbox::fill(packet_dispatcher& packets, int rank) {
  under_way = packets.under_way(rank);
  if (taken < come) return;
  taken = come = 0;
  while (const packet_dispatcher::packet* const next = packets.next(rank)) {
    if (come + room_for(next->bytes.size()) > capacity) return;
    entry& one = come_at(come);
    one.peer = next->from;
    one.bytes = static_cast<std::uint32_t>(next->bytes.size());
    std::memcpy(bytes_of(one), next->bytes.data(), next->bytes.size());
    come += room_for(one.bytes);
    packets.take(rank);
  }
}

}  // namespace onehop::virtual_machine
