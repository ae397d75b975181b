#include "transport/virtual/processes/remote_mail.hpp"

#include <algorithm>
#include <utility>

namespace onehop::virtual_machine {

remote_mail::remote_mail(rank_process& process, int rank, mailbox& box)
    : process_(process), rank_(rank), box_(box) {
  process_.ask({.what = request::open_mail,
                .rank = rank_,
                .own_offset = process_.offset_of(reinterpret_cast<std::byte*>(&box))});
}

remote_mail::~remote_mail() {
  // The conductor takes what was sent before the mailbox is none any more.
  process_.complete_requests();
  process_.ask({.what = request::close_mail, .rank = rank_});
}

bool remote_mail::try_send(int to, std::span<const std::byte> head, std::span<const std::byte> body,
                           const modelled_message& stands_for) {
  const std::size_t bytes = head.size() + body.size(), room = mailbox::room_for(bytes);
  if (box_.under_way + bytes > packet_dispatcher::most_bytes_of_rank) {
    box_.wakes_at = packet_dispatcher::most_bytes_of_rank / 2 + 1;
    return false;
  }
  process_.charge_compute();
  process_.drain();
  if (box_.sent + room > box_.capacity) process_.complete_requests();
  // The mailbox stays full only in a job that has failed.
  if (box_.sent + room <= box_.capacity) {
    mailbox::entry& one = box_.sent_at(box_.sent);
    one = {to, static_cast<std::uint32_t>(bytes), stands_for};
    std::ranges::copy(body, std::ranges::copy(head, mailbox::bytes_of(one)).out);
    box_.sent += room;
    box_.under_way += bytes;
  }
  process_.restart_clock();
  return true;
}

std::optional<mail::packet> remote_mail::next() {
  box_.taken += std::exchange(handed_out_, 0);
  if (box_.taken == box_.come) return std::nullopt;
  mailbox::entry& one = box_.come_at(box_.taken);
  handed_out_ = mailbox::room_for(one.bytes);
  return packet{one.peer, {mailbox::bytes_of(one), one.bytes}};
}

bool remote_mail::all_came() noexcept {
  if (box_.under_way == 0) return true;
  box_.wakes_at = 1;
  return false;
}

}  // namespace onehop::virtual_machine
