#include "mpi/wire.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace onehop::mpi_abi {
namespace {

/// The blocks of all pairs of ranks together take at most this much memory.
constexpr std::size_t most_memory = std::size_t{64} << 20;

/// In large jobs the blocks of a pair become fewer and shorter.
stream_options options_for(int ranks) {
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  stream_options how;
  // Each block is a chain, which all ranks commit together.
  how.blocks = ranks <= 8 ? 8 : ranks <= 32 ? 4 : 2;
  const std::size_t share = most_memory / pairs / static_cast<std::size_t>(how.blocks);
  how.block_bytes = std::clamp<std::size_t>(share / 64 * 64, 1024, 16384);
  // What a block has beside one item: its header, and the item's size.
  how.largest_item = how.block_bytes - 128;
  return how;
}

}  // namespace

wire::wire(const context& ctx)
    : ctx_(ctx), models_(transport_of(ctx).least_granted_bytes().has_value()) {
  const stream_options how = options_for(ctx.size());
  most_payload_ = how.largest_item - sizeof(packet_header);
  if (ctx.size() == 1) return;
  std::vector<int> everyone(static_cast<std::size_t>(ctx.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const modelled_scope scope(ctx, no_message);
  packets_.emplace(ctx, everyone, everyone, how);
}

bool wire::try_send(int to, const packet_header& header, std::span<const std::byte> payload,
                    const modelled_message& stands_for) {
  if (closed_) return true;
  const auto place = packets_->try_reserve(sizeof header + payload.size(), to);
  if (!place) return false;
  std::memcpy(place->bytes.data(), &header, sizeof header);
  if (!payload.empty())
    std::memcpy(place->bytes.data() + sizeof header, payload.data(), payload.size());
  // A packet of another kind is a message of its payload.
  const modelled_message own{modelled_message::message, payload.size()};
  const modelled_scope scope(ctx_, stands_for.what == modelled_message::put ? own : stands_for);
  packets_->publish(*place);
  if (header.what != packet_header::standing) ++sent_;
  // In virtual time each packet is a put of its own, which leaves here.
  if (models_) packets_->flush();
  return true;
}

bool wire::try_close() {
  closed_ = true;
  if (!packets_) return true;
  const modelled_scope scope(ctx_, no_message);
  return packets_->try_close();
}

void wire::flush() {
  if (packets_) packets_->flush();
}

}  // namespace onehop::mpi_abi
