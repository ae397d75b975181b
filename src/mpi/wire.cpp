#include "mpi/wire.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace onehop::mpi_abi {
namespace {

/// The blocks of all pairs of ranks together take at most this much memory.
constexpr std::size_t most_memory = std::size_t{64} << 20;
/// A message of 16 KiB has room in a block of five pages, with its headers.
constexpr std::size_t longest_block = 20480;

/// In large jobs the blocks of a pair become fewer and shorter.
stream_options options_for(int ranks) {
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  stream_options how;
  // Each block is a chain, which all ranks commit together.
  how.blocks = ranks <= 8 ? 8 : ranks <= 32 ? 4 : 2;
  const std::size_t share = most_memory / pairs / static_cast<std::size_t>(how.blocks);
  how.block_bytes = std::clamp<std::size_t>(share / 64 * 64, 1024, longest_block);
  // What a block has beside one item: its header, and the item's size.
  how.largest_item = how.block_bytes - 128;
  return how;
}

}  // namespace

wire::wire(const context& ctx)
    : ctx_(ctx), mail_(transport_of(ctx).open_mail()), ended_(ctx.size() == 1) {
  const stream_options how = options_for(ctx.size());
  most_payload_ = (mail_ ? mail::most_bytes : how.largest_item) - sizeof(packet_header);
  if (mail_ || ctx.size() == 1) return;
  std::vector<int> everyone(static_cast<std::size_t>(ctx.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  packets_.emplace(ctx, everyone, everyone, how);
}

bool wire::try_send(int to, const packet_header& header, std::span<const std::byte> payload,
                    const modelled_message& stands_for) {
  if (closed_) return true;
  if (mail_) {
    if (!mail_->try_send(to, std::as_bytes(std::span(&header, 1)), payload, stands_for))
      return false;
  } else {
    const auto place = packets_->try_reserve(sizeof header + payload.size(), to);
    if (!place) return false;
    std::memcpy(place->bytes.data(), &header, sizeof header);
    if (!payload.empty())
      std::memcpy(place->bytes.data() + sizeof header, payload.data(), payload.size());
    packets_->publish(*place);
  }
  if (header.what != packet_header::standing) ++sent_;
  return true;
}

/// A stream has an end of its own for each two ranks. In the mail each rank tells the first one of
/// its end, once all that it sent has come, and the first one tells all when it knows of everyone.
bool wire::try_close() {
  closed_ = true;
  if (packets_) return packets_->try_close();
  if (!mail_ || said_end_) return true;
  if (!mail_->all_came()) return false;
  said_end_ = true;
  if (ctx_.rank() == 0)
    note_end();
  else
    send_end(0);
  return true;
}

void wire::note_end() {
  if (ctx_.rank() == 0 && ++ends_ < ctx_.size()) return;
  ended_ = true;
  for (int rank = 1; ctx_.rank() == 0 && rank < ctx_.size(); ++rank) send_end(rank);
}

void wire::send_end(int to) {
  // There is room, since nothing of this rank is under way.
  const packet_header header{.what = packet_header::end};
  mail_->try_send(to, std::as_bytes(std::span(&header, 1)), {}, {modelled_message::nothing});
}

}  // namespace onehop::mpi_abi
