#include "rma/block_exchange.hpp"

#include <algorithm>

#include "machine/copy_bytes.hpp"

namespace onehop {
namespace {

/// With few ranks, a block stays in a core's own cache between its write and its read. The memory
/// of a window stays bounded up to many ranks.
std::size_t block_bytes(int ranks) {
  constexpr std::size_t all = std::size_t{1} << 19, most = std::size_t{1} << 16, least = 4096;
  return std::clamp(all / static_cast<std::size_t>(ranks) / 64 * 64, least, most);
}

}  // namespace

block_exchange::block_exchange(const context& own)
    : own_(own),
      most_(block_bytes(own.size())),
      memory_(window::allocate(own, most_ * static_cast<std::size_t>(own.size()))),
      chain_(own, memory_),
      peers_(static_cast<std::size_t>(own.size())) {
  const int ranks = own.size();
  const auto place_of = [this](int origin) { return static_cast<std::size_t>(origin) * most_; };
  // Every rank begins with a different target, so that no target is the first of all ranks.
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (own.rank() + distance) % ranks;
    const int from = (own.rank() + ranks - distance) % ranks;
    at(to).slot = chain_.push(put::packed_up_to(most_, to, place_of(own.rank())));
    at(from).arrival = chain_.add_origin(from);
  }
  chain_.take_turns();
  chain_.commit();
}

std::span<std::byte> block_exchange::outgoing(int rank) {
  return chain_.target_view(at(rank).slot);
}

void block_exchange::set_bytes(int rank, std::size_t bytes) {
  chain_.set_bytes(at(rank).slot, bytes);
}

void block_exchange::send(int rank, std::span<const std::byte> block) {
  if (!block.empty()) copy_bytes(outgoing(rank).data(), block.data(), block.size());
  set_bytes(rank, block.size());
}

void block_exchange::carry() {
  chain_.start();
  chain_.wait();
}

std::span<const std::byte> block_exchange::incoming(int rank) {
  return chain_.arrived(at(rank).arrival);
}

}  // namespace onehop
