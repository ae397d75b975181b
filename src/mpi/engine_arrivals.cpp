// How a rank handles arriving messages, and arriving packets about long messages.

#include <sys/uio.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

void engine::take(int from, const packet_header& header, std::span<const std::byte> payload) {
  if (header.what == packet_header::standing) return deadlocks_.take(from, header, payload);
  deadlocks_.change();
  served_ = true;
  switch (header.what) {
    case packet_header::clear_to_send: {
      request& one = request_of(header.sender);
      one.partner = header.receiver;
      parted_.push_back(&one);
      return;
    }
    case packet_header::received_by_read:
      complete(request_of(header.sender));
      return;
    case packet_header::cancel:
      forget(from, header);
      return;
    case packet_header::cancelled: {
      request& one = request_of(header.sender);
      set_cancelled(one.status, true);
      complete(one);
      return;
    }
    case packet_header::data:
      take_part(request_of(header.receiver), header.place, header.bytes, payload);
      return;
    case packet_header::one_sided:
      services_.at(header.context)(header, payload);
      return;
    case packet_header::more:
      go_on(from, payload);
      return;
    case packet_header::eager:
      if (payload.size() < header.bytes) return begin_message(from, header, payload);
      [[fallthrough]];
    default:
      deliver(from, header, payload);
  }
}

/// Removes and returns the first receive that matches a message, or returns null.
request* engine::take_receive(const packet_header& message) {
  std::vector<request*>& receives = queue_of(message.context).receives;
  const envelope of{message.context, message.source, message.tag};
  const auto found =
      std::ranges::find_if(receives, [&](const request* one) { return one->wanted().takes(of); });
  if (found == receives.end()) return nullptr;
  request* const into = *found;
  receives.erase(found);
  return into;
}

void engine::deliver(int from, const packet_header& header, std::span<const std::byte> payload) {
  if (request* const into = take_receive(header))
    accept(*into, from, header, payload);
  else
    queue_of(header.context).messages.push_back({header, from, {payload.begin(), payload.end()}});
}

/// If a receive is waiting, parts are copied to its buffer as they arrive. In virtual time a
/// message arrives only with its last part.
void engine::begin_message(int from, const packet_header& header,
                           std::span<const std::byte> payload) {
  begun_message& begun = begun_[static_cast<std::size_t>(from)];
  begun = {header, least_granted_ ? nullptr : take_receive(header), {}};
  if (begun.into != nullptr) {
    describe_message(*begun.into, header);
    begun.into->packs();
  } else {
    begun.parts.reserve(header.bytes);
  }
  go_on(from, payload);
}

void engine::go_on(int from, std::span<const std::byte> payload) {
  begun_message& begun = begun_[static_cast<std::size_t>(from)];
  if (begun.into != nullptr)
    return take_part(*begun.into, begun.into->moved, begun.header.bytes, payload);
  begun.parts.insert(begun.parts.end(), payload.begin(), payload.end());
  if (begun.parts.size() == begun.header.bytes)
    deliver(from, begun.header, std::exchange(begun.parts, {}));
}

void engine::forget(int from, const packet_header& cancelled) {
  const auto is_it = [&](const waiting_message& message) {
    return message.world == from && message.header.what == packet_header::ready_to_send &&
           message.header.sender == cancelled.sender;
  };
  if (std::erase_if(queue_of(cancelled.context).messages, is_it) > 0)
    send(from, {.what = packet_header::cancelled, .sender = cancelled.sender}, {}, nullptr,
         {modelled_message::nothing});
}

namespace {

/// Returns whether a message belongs to another collective than its receive, or has another length.
bool disagree(const request& into, const packet_header& message, std::size_t room) noexcept {
  const collective_call theirs = message.call();
  return theirs.function != 0 && into.call.function != 0 &&
         (theirs != into.call || message.bytes != room);
}

}  // namespace

void engine::describe_message(request& into, const packet_header& header) {
  const std::size_t room = into.room();
  into.bytes = std::min<std::size_t>(header.bytes, room);
  set_status(into.status, header.source, header.tag, into.bytes);
  if (disagree(into, header, room)) [[unlikely]] {
    into.error = header.bytes > room ? err_truncate : err_not_same;
    into.why = disagreement(into, header);
  } else if (header.bytes > room) {
    into.error = err_truncate;
    into.why = text("a message of ", header.bytes, " bytes from rank ", header.source, " with tag ",
                    header.tag, " does not fit a receive of ", room, " bytes");
  }
}

void engine::accept(request& into, int from, const packet_header& header,
                    std::span<const std::byte> payload) {
  describe_message(into, header);
  if (header.what == packet_header::ready_to_send) {
    accept_long(into, from, header);
    return;
  }
  into.type->unpack(payload.first(into.bytes), into.buffer);
  complete(into);
}

/// If both ranks are present, the sender writes the next part while the receiver copies this one,
/// which takes half as long as a copy of the whole by the kernel. Otherwise the receiver reads the
/// message, so that no rank waits for the other's next call, or for its next turn on a shared core.
bool engine::goes_in_parts(int from) const noexcept {
  return from != ctx_.rank() && !transport_of(ctx_).crowded() && wire_.is_present(from) &&
         wire_.is_present(ctx_.rank());
}

void engine::accept_long(request& into, int from, const packet_header& header) {
  into.packs();
  const memory_piece there{header.place, into.bytes};
  // An empty message has no data part that could complete it.
  if (header.bytes == 0 || (!goes_in_parts(from) && read_memory(from, {&there, 1}, into.data))) {
    send(from, {.what = packet_header::received_by_read, .sender = header.sender}, {}, nullptr,
         {modelled_message::grant, header.bytes});
    complete_receive(into);
    return;
  }
  send(from,
       {.what = packet_header::clear_to_send, .sender = header.sender, .receiver = token_of(&into)},
       {}, nullptr, {modelled_message::grant, header.bytes});
}

namespace {

/// Returns the rest of a list after the first `read` bytes.
std::span<iovec> after(std::span<iovec> list, std::size_t read) {
  while (read > 0) {
    iovec& first = list.front();
    const std::size_t bytes = std::min(read, first.iov_len);
    first.iov_base = static_cast<std::byte*>(first.iov_base) + bytes;
    first.iov_len -= bytes;
    read -= bytes;
    if (first.iov_len == 0) list = list.subspan(1);
  }
  return list;
}

}  // namespace

bool engine::read_memory(int world, std::span<const memory_piece> pieces, std::byte* to) {
  const bool own = world == ctx_.rank();
  if (!own && !reads_) return false;
  std::vector<iovec> list;
  list.reserve(pieces.size());
  for (const memory_piece& one : pieces)
    if (one.bytes > 0)
      list.push_back({reinterpret_cast<void*>(static_cast<std::uintptr_t>(one.address)),
                      static_cast<std::size_t>(one.bytes)});
  if (own) {
    for (const iovec& one : list) {
      copy_bytes(to, one.iov_base, one.iov_len);
      to += one.iov_len;
    }
    return true;
  }
  const auto process = static_cast<pid_t>(processes_[static_cast<std::size_t>(world)]);
  for (std::span<iovec> left(list); !left.empty();) {
    // The kernel takes at most this many pieces per call, and may read fewer bytes than asked.
    const auto some = left.first(std::min<std::size_t>(left.size(), 1024));
    std::size_t bytes = 0;
    for (const iovec& one : some) bytes += one.iov_len;
    const iovec here{to, bytes};
    const ssize_t read = process_vm_readv(process, &here, 1, some.data(), some.size(), 0);
    if (read <= 0) {
      // From now on, the other rank sends long messages in parts, including this one.
      reads_ = false;
      return false;
    }
    to += read;
    left = after(left, static_cast<std::size_t>(read));
  }
  return true;
}

/// Copies a part, which begins at `begin`, of a message of `whole` bytes.
void engine::take_part(request& one, std::size_t begin, std::size_t whole,
                       std::span<const std::byte> payload) {
  // The receive may be shorter than the message; bytes that do not fit are dropped.
  const std::size_t place = std::min(begin, one.bytes);
  const std::size_t fits = std::min(payload.size(), one.bytes - place);
  if (fits > 0) copy_bytes(one.data + place, payload.data(), fits);
  one.moved += payload.size();
  if (one.moved == whole) complete_receive(one);
}

void engine::complete_receive(request& one) {
  if (one.data != one.buffer) one.type->unpack({one.data, one.bytes}, one.buffer);
  complete(one);
}

void engine::complete(request& one) {
  one.complete = true;
  one.staged = {};
  if (one.detached) delete &one;
}

}  // namespace onehop::mpi_abi
