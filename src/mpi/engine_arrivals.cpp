// What arrives at a rank: messages, and what is said about long ones.

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

void engine::take(int from, const packet_header& header, std::span<const std::byte> payload) {
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
    case packet_header::data:
      take_part(header, payload);
      return;
    case packet_header::one_sided:
      services_.at(header.context)(header, payload);
      return;
    case packet_header::beginning:
      begun_[static_cast<std::size_t>(from)].insert(begun_[static_cast<std::size_t>(from)].end(),
                                                    payload.begin(), payload.end());
      return;
    case packet_header::eager:
      if (std::vector<std::byte>& whole = begun_[static_cast<std::size_t>(from)]; !whole.empty()) {
        whole.insert(whole.end(), payload.begin(), payload.end());
        deliver(from, header, std::exchange(whole, {}));
        return;
      }
      [[fallthrough]];
    default:
      deliver(from, header, payload);
  }
}

void engine::deliver(int from, const packet_header& header, std::span<const std::byte> payload) {
  queue& unmatched = queues_[header.context];
  const envelope message{header.context, header.source, header.tag};
  const auto found = std::ranges::find_if(
      unmatched.receives, [&](const request* one) { return one->wanted().takes(message); });
  if (found == unmatched.receives.end()) {
    unmatched.messages.push_back({header, from, {payload.begin(), payload.end()}});
    return;
  }
  request& into = **found;
  unmatched.receives.erase(found);
  accept(into, from, header, payload);
}

void engine::accept(request& into, int from, const packet_header& header,
                    std::span<const std::byte> payload) {
  const std::size_t room = into.room();
  into.bytes = std::min<std::size_t>(header.bytes, room);
  set_status(into.status, header.source, header.tag, into.bytes);
  if (header.bytes > room) {
    into.error = err_truncate;
    into.why = text("a message of ", header.bytes, " bytes from rank ", header.source, " with tag ",
                    header.tag, " does not fit a receive of ", room, " bytes");
  }
  if (header.what == packet_header::ready_to_send) {
    accept_long(into, from, header);
    return;
  }
  into.type->unpack(payload.first(into.bytes), into.buffer);
  complete(into);
}

void engine::accept_long(request& into, int from, const packet_header& header) {
  if (into.type->contiguous()) {
    into.data = static_cast<std::byte*>(into.buffer);
  } else {
    into.packed.resize(into.bytes);
    into.data = into.packed.data();
  }
  if (read_from(from, header, into.data, into.bytes)) {
    send(from, {.what = packet_header::received_by_read, .sender = header.sender}, {}, nullptr,
         {modelled_message::grant, header.bytes});
    complete_receive(into);
    return;
  }
  send(from,
       {.what = packet_header::clear_to_send, .sender = header.sender, .receiver = token_of(&into)},
       {}, nullptr, {modelled_message::grant, header.bytes});
}

bool engine::read_from(int from, const packet_header& header, std::byte* to, std::size_t bytes) {
  const auto address = static_cast<std::uintptr_t>(header.place);
  if (bytes == 0 || from == ctx_.rank()) {
    if (bytes > 0) std::memcpy(to, reinterpret_cast<const std::byte*>(address), bytes);
    return true;
  }
  if (!reads_) return false;
  std::size_t done = 0;
  while (done < bytes) {
    const iovec here{to + done, bytes - done};
    const iovec there{reinterpret_cast<void*>(address + done), bytes - done};
    const auto process = static_cast<pid_t>(processes_[static_cast<std::size_t>(from)]);
    const ssize_t read = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (read <= 0) {
      // Nothing of the message is lost: the sender sends it in parts, now and from now on.
      reads_ = false;
      return false;
    }
    done += static_cast<std::size_t>(read);
  }
  return true;
}

void engine::take_part(const packet_header& header, std::span<const std::byte> payload) {
  request& one = request_of(header.receiver);
  // The receive may be too short; bytes that do not fit it are thrown away.
  const std::size_t begin = std::min<std::size_t>(header.place, one.bytes);
  const std::size_t fits = std::min(payload.size(), one.bytes - begin);
  if (fits > 0) std::memcpy(one.data + begin, payload.data(), fits);
  one.moved += payload.size();
  if (one.moved == header.bytes) complete_receive(one);
}

void engine::complete_receive(request& one) {
  if (!one.type->contiguous()) one.type->unpack({one.data, one.bytes}, one.buffer);
  complete(one);
}

void engine::complete(request& one) {
  one.complete = true;
  if (one.detached) delete &one;
}

}  // namespace onehop::mpi_abi
