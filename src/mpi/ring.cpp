#include "mpi/ring.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/copy_bytes.hpp"

namespace onehop::mpi_abi {

static_assert(offsetof(ring_cell, payload) + sizeof(std::uint64_t) == 64,
              "a message of one word takes one line");

ring_shape ring_shape::of_job(int ranks) noexcept {
  /// An approximate limit for the memory of all rings together.
  constexpr std::size_t most_memory = std::size_t{64} << 20;
  constexpr std::size_t shortest = 2048, longest = std::size_t{1} << 18;
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  const std::size_t bytes = std::clamp(std::bit_floor(most_memory / pairs), shortest, longest);
  return {std::max<std::size_t>(bytes / 2048, 8), bytes};
}

std::size_t ring_shape::most_payload() const noexcept {
  constexpr std::size_t longest = std::size_t{1} << 15;
  return std::min(payload_bytes / 2, longest);
}

ring_side::ring_side(std::byte* memory, const ring_shape& shape) noexcept
    : taken_(reinterpret_cast<ring_progress*>(memory)),
      cells_(reinterpret_cast<ring_cell*>(memory + sizeof(ring_progress))),
      payload_(memory + sizeof(ring_progress) + shape.cells * sizeof(ring_cell)),
      cell_mask_(shape.cells - 1),
      payload_bytes_(shape.payload_bytes) {}

bool ring_writer::has_room(std::uint64_t end) noexcept {
  const auto has = [&] {
    return next_ - packets_taken_ <= cell_mask_ + 1 && end - bytes_taken_ <= payload_bytes_;
  };
  if (has()) [[likely]]
    return true;
  // Acquire pairs with the reader's release, so that nothing the reader still reads is overwritten.
  packets_taken_ = taken_->packets.load(std::memory_order_acquire);
  bytes_taken_ = taken_->bytes.load(std::memory_order_acquire);
  return has();
}

bool ring_writer::try_send(const packet_header& header,
                           std::span<const std::byte> payload) noexcept {
  const bool short_one = ring_cell::holds(payload.size());
  const std::uint64_t begin = short_one ? end_ : begin_of(payload.size());
  const std::uint64_t end = short_one ? end_ : end_of(begin, payload.size());
  if (!has_room(end)) return false;
  ring_cell& here = cell();
  std::byte* const to = short_one ? here.payload.data() : payload_at(begin);
  here.header = header;
  if (!payload.empty()) copy_bytes(to, payload.data(), payload.size());
  // Release makes the packet visible to the reader before its number.
  here.announced.store(std::uint64_t{payload.size()} << 32U | static_cast<std::uint32_t>(next_++),
                       std::memory_order_release);
  end_ = end;
  return true;
}

}  // namespace onehop::mpi_abi
