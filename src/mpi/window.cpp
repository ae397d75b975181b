#include "mpi/window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

std::byte* address(std::uint64_t base) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(base));
}

}  // namespace

window::window(communicator_ptr comm, int flavor, const window_part& mine,
               std::shared_ptr<const shared_parts> shared)
    : attributes{address(mine.base), mine.bytes, static_cast<int>(mine.unit), flavor,
                 model_unified},
      comm_(std::move(comm)),
      flavor_(flavor),
      parts_(slot_of(comm_->size())),
      shared_(std::move(shared)),
      is_direct_(shared_ && !is_virtual(running().job())),
      owed_(slot_of(comm_->size())),
      reading_(slot_of(comm_->size())),
      granted_(slot_of(comm_->size())),
      posted_(slot_of(comm_->size())),
      locked_(slot_of(comm_->size())) {
  parts_[slot_of(comm_->rank())] = mine;
  running().serve(comm_->messages(),
                  [this](const packet_header& header, std::span<const std::byte> payload) {
                    take(header, payload);
                  });
  // A rank has all parts only after every rank accepts packets.
  all_gather(comm_, std::as_writable_bytes(std::span(parts_)), sizeof mine);
}

window::~window() { running().stop_serving(comm_->messages()); }

void window::say(int rank, verb what) {
  running().post(comm_->world(rank),
                 {.what = packet_header::one_sided,
                  .context = comm_->messages(),
                  .source = comm_->rank(),
                  .tag = what},
                 {});
}

void window::take(const packet_header& header, std::span<const std::byte> payload) {
  const auto from = slot_of(header.source);
  switch (header.tag) {
    case verb_reply:
      take_reply(header, payload);
      return;
    case verb_granted:
      ++granted_[from];
      return;
    case verb_acknowledge:
      --answers_;
      return;
    case verb_posted:
      ++posted_[from];
      return;
    case verb_completed:
      ++completed_;
      return;
    case verb_flush:
      say(header.source, verb_acknowledge);
      return;
    case verb_unlock:
      if (locks_.exclusive)
        locks_.exclusive = false;
      else
        --locks_.shared;
      grant_locks();
      return;
    case verb_lock_shared:
    case verb_lock_exclusive:
      locks_.waiting.push_back(header);
      grant_locks();
      return;
    default:
      break;
  }
  const std::vector<std::byte> back = carry_out(
      header, payload, flavor_ == flavor_dynamic ? nullptr : address(part(comm_->rank()).base));
  if (!reads(static_cast<verb>(header.tag))) return;
  packet_header reply = header;
  reply.tag = verb_reply;
  reply.source = comm_->rank();
  running().post(comm_->world(header.source), reply, back);
}

void window::grant_locks() {
  while (!locks_.waiting.empty() && !locks_.exclusive) {
    const packet_header next = locks_.waiting.front();
    if (next.tag == verb_lock_exclusive && locks_.shared > 0) return;
    locks_.waiting.pop_front();
    if (next.tag == verb_lock_exclusive)
      locks_.exclusive = true;
    else
      ++locks_.shared;
    say(next.source, verb_granted);
  }
}

namespace {

/// Combines incoming elements with those at an address. `how` contains the operation in its upper
/// half, and the datatype.
void combine_at(std::byte* place, std::span<const std::byte> data, std::uint64_t how) {
  const auto what = static_cast<std::uintptr_t>(how >> 32);
  const datatype& type = **predefined_datatype(fixed<MPI_Datatype>(how & 0xffffffff));
  if (what == op_no_op) return;
  if (what == op_replace) {
    type.unpack(data, place);
    return;
  }
  const combine_function combine = find_combine(what, type.kind());
  if (type.contiguous()) {
    combine(data.data(), place, data.size() / type.size());
    return;
  }
  const auto extent = static_cast<std::size_t>(type.extent());
  std::vector<std::byte> theirs(extent), ours(extent), packed(type.size());
  type.unpack(data, theirs.data());
  type.pack(place, 1, packed.data());
  type.unpack(packed, ours.data());
  combine(theirs.data(), ours.data(), 1);
  type.pack(ours.data(), 1, packed.data());
  type.unpack(packed, place);
}

/// Copies the data at an address.
void read_at(const std::byte* place, std::span<std::byte> to, std::uint64_t how) {
  const auto base = static_cast<std::uintptr_t>(how & 0xffffffff);
  const datatype* const type =
      base == 0 ? nullptr : predefined_datatype(fixed<MPI_Datatype>(base))->get();
  if (type != nullptr && !type->contiguous())
    type->pack(place, 1, to.data());
  else if (!to.empty())
    copy_bytes(to.data(), place, to.size());
}

}  // namespace

bool window::reads(verb what) noexcept { return what != verb_put && what != verb_accumulate; }

// Displacements in a dynamic window are addresses, so its base is null.
std::vector<std::byte> window::carry_out(const packet_header& header,
                                         std::span<const std::byte> payload, std::byte* base) {
  std::vector<piece> pieces(static_cast<std::size_t>(header.bytes));
  std::memcpy(pieces.data(), payload.data(), pieces.size() * sizeof(piece));
  payload = payload.subspan(pieces.size() * sizeof(piece));
  std::vector<std::byte> back;
  for (const piece& one : pieces) {
    std::byte* const place = address(token_of(base) + static_cast<std::uint64_t>(one.place));
    const auto bytes = static_cast<std::size_t>(one.bytes);
    if (reads(static_cast<verb>(header.tag))) {
      back.resize(back.size() + bytes);
      read_at(place, std::span(back).last(bytes), header.receiver);
    }
    if (payload.empty()) continue;
    if (header.tag == verb_put) {
      copy_bytes(place, payload.data(), bytes);
    } else if (header.tag == verb_compare_and_swap) {
      if (std::memcmp(place, payload.data(), bytes) == 0)
        copy_bytes(place, payload.data() + bytes, bytes);
    } else {
      combine_at(place, payload.first(bytes), header.receiver);
    }
    payload = payload.subspan(bytes);
  }
  return back;
}

void window::take_reply(const packet_header& header, std::span<const std::byte> payload) {
  auto* const read = reinterpret_cast<pending_read*>(static_cast<std::uintptr_t>(header.sender));
  const bool gathers = !is_run_of_host(*read->type, read->into);
  if (gathers) read->packed.resize(read->bytes);
  std::byte* const to = gathers ? read->packed.data() : static_cast<std::byte*>(read->into);
  copy_bytes(to + header.place, payload.data(), payload.size());
  read->left -= payload.size();
  if (read->left > 0) return;
  if (gathers) read->type->unpack(read->packed, read->into);
  --reading_[slot_of(read->rank)];
  coming_ -= read->bytes;
  if (read->done != nullptr) running().complete(*read->done);
  delete read;
}

}  // namespace onehop::mpi_abi
