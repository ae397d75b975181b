#include "rma/mirrored.hpp"

#include <algorithm>
#include <onehop/collective_stream.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/waiter.hpp"

namespace onehop {

void set_collective_stream(const context& ctx, std::optional<void*> stream) {
  device_channels* const channels = transport_of(ctx).device_channels();
  if (channels == nullptr)
    throw usage_error(text("rank ", ctx.rank(), ": a stream for collectives on ", ctx.transport(),
                           ", which serves no memory of devices: leave it out"));
  channels->stream = stream;
}

std::optional<void*> collective_stream(const context& ctx) noexcept {
  const device_channels* const channels = transport_of(ctx).device_channels();
  return channels == nullptr ? std::nullopt : channels->stream;
}

void await_copies(const context& ctx, const device_mirror& copies) {
  wait_until(
      ctx, [&] { return copies.done(); },
      [&] {
        return wait_report{"in a collective on memory of a device",
                           {{ctx.rank(),
                             "the stream of set_collective_stream has not come to the "
                             "copies"}}};
      });
}

void require_stream(const context& ctx) {
  if (follows_stream(ctx)) return;
  throw usage_error(text("rank ", ctx.rank(),
                         ": a collective on memory of a device without a stream: name the stream "
                         "that uses this memory with set_collective_stream"));
}

std::unique_ptr<device_mirror> mirror_of(const context& ctx, std::vector<mirrored_part> parts) {
  device_channels* const channels = transport_of(ctx).device_channels();
  if (channels == nullptr) return nullptr;
  std::unique_ptr<device_mirror> made = channels->mirror(ctx, std::move(parts));
  if (made) require_stream(ctx);
  return made;
}

found_worker find_worker(const context& ctx, const std::vector<mirrored_part>& parts,
                         const combiner* combine) {
  device_channels* const channels = transport_of(ctx).device_channels();
  return channels == nullptr ? found_worker() : channels->find_worker(ctx, parts, combine);
}

void bring_out(const context& ctx, device_mirror& copies) {
  copies.bring_out(*collective_stream(ctx));
  await_copies(ctx, copies);
}

void bring_in(const context& ctx, device_mirror& copies) {
  copies.bring_in();
  await_copies(ctx, copies);
}

std::vector<std::byte> copied_to_host(const context& ctx, std::span<const std::byte> memory) {
  std::span<const std::byte> from = memory;
  const auto copies = follows_stream(ctx) ? mirror_of(ctx, {read_part(memory)}) : nullptr;
  if (copies) {
    bring_out(ctx, *copies);
    from = copies->host(0);
  }
  return {from.begin(), from.end()};
}

host_blocks::host_blocks(const context& ctx, std::span<const std::span<const std::byte>> blocks)
    : blocks_(blocks.begin(), blocks.end()) {
  if (!follows_stream(ctx)) return;
  std::vector<mirrored_part> parts;
  for (const std::span<const std::byte> block : blocks) parts.push_back(read_part(block));
  copies_ = mirror_of(ctx, std::move(parts));
  if (!copies_) return;
  bring_out(ctx, *copies_);
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    blocks_[block] = copies_->host(block);
}

device_places::device_places(const context& ctx, const receive_place& wanted)
    : ctx_(ctx), place_([this, wanted](int origin, std::size_t bytes) {
        const std::span<std::byte> home = wanted(origin, bytes);
        // A place of another size will be refused, and nothing is written to it.
        if (home.size() != bytes || !on_device(ctx_, home.data())) return home;
        return std::span(kept_.emplace_back(home, std::vector<std::byte>(bytes)).bytes);
      }) {}

void device_places::fill() {
  if (kept_.empty()) return;
  std::vector<mirrored_part> parts;
  for (const kept_block& block : kept_) parts.push_back(written_part(block.home));
  const auto copies = mirror_of(ctx_, std::move(parts));
  bring_out(ctx_, *copies);
  for (std::size_t block = 0; block < kept_.size(); ++block)
    copy_bytes(copies->host(block).data(), kept_[block].bytes.data(), kept_[block].bytes.size());
  bring_in(ctx_, *copies);
}

}  // namespace onehop
