#include <algorithm>
#include <cstdint>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "machine/copy_bytes.hpp"
#include "rma/autotune.hpp"
#include "rma/block_exchange.hpp"
#include "rma/block_round.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

/// A broadcast up to this length is sent in pieces by rounds.
constexpr std::size_t most_in_pieces = std::size_t{1} << 16;

/// Messages that are too long for one round travel by the exchange of blocks.
bool is_long(const context& ctx, std::size_t bytes) {
  return bytes > bootstrap_of(ctx).round_bytes();
}

void broadcast_long(const context& ctx, std::span<std::byte> data, int root) {
  in_blocks(ctx, make_tag(operation::broadcast, data.size(), root), [&](block_exchange& via) {
    for (std::size_t done = 0; done < data.size(); done += via.most()) {
      const auto piece = data.subspan(done, std::min(via.most(), data.size() - done));
      const bool mine = ctx.rank() == root;
      for_each_other(ctx, [&](int rank) { via.send(rank, mine ? piece : piece.first(0)); });
      via.carry();
      if (!mine) copy_bytes(piece.data(), via.incoming(root).data(), piece.size());
    }
  });
}

void allgather_long(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all) {
  in_blocks(ctx, make_tag(operation::allgather, mine.size()), [&](block_exchange& via) {
    // Memory may overlap, since `mine` may be part of `all`.
    move_bytes(all.data() + at_rank(ctx.rank()) * mine.size(), mine.data(), mine.size());
    const std::span<const std::byte> own =
        all.subspan(at_rank(ctx.rank()) * mine.size(), mine.size());
    for (std::size_t done = 0; done < own.size(); done += via.most()) {
      const auto piece = own.subspan(done, std::min(via.most(), own.size() - done));
      for_each_other(ctx, [&](int rank) { via.send(rank, piece); });
      via.carry();
      for_each_other(ctx, [&](int rank) {
        copy_bytes(all.data() + at_rank(rank) * own.size() + done, via.incoming(rank).data(),
                   piece.size());
      });
    }
  });
}

}  // namespace

void barrier(const context& ctx) {
  rounds::round(ctx, make_tag(operation::barrier, 0), {}, [](int, const std::byte*) {});
}

void broadcast(const context& ctx, std::span<std::byte> data, int root) {
  require_root(ctx, root, "broadcast from");
  const bool gives = ctx.rank() == root;
  if (run_mirrored(ctx, {part_of(data, gives, !gives)},
                   [&](const device_mirror& on) { broadcast(ctx, on.host(0), root); }))
    return;
  const bool has_pieces = is_long(ctx, data.size());
  // Pieces in close succession overlap the copies at sender and receiver. With long data, however,
  // they would evict the memory between the two from the caches.
  if (has_pieces && (data.size() > most_in_pieces || bootstrap_of(ctx).most_left_open(0) == 0))
    return broadcast_long(ctx, data, root);
  rounds::broadcast(ctx, data, root);
  // The best way to store a message depends on the distance between the cores.
  if (has_pieces) autotune_channels(ctx);
}

void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all) {
  require_space(ctx, "allgather", mine.size(), all.size());
  if (run_mirrored(ctx, {read_part(mine), written_part(all)},
                   [&](const device_mirror& on) { allgather(ctx, on.host(0), on.host(1)); }))
    return;
  if (mine.empty()) return rounds::meet(ctx, make_tag(operation::allgather, 0));
  if (is_long(ctx, mine.size())) return allgather_long(ctx, mine, all);
  rounds::allgather(ctx, mine, all);
}

void exchange_blocks(const context& ctx, std::span<const std::byte> send,
                     std::span<std::byte> receive) {
  const std::size_t bytes = send.size() / at_rank(ctx.size());
  const std::size_t mine = at_rank(ctx.rank()) * bytes;
  rounds::round(ctx, make_tag(operation::alltoall, bytes), send,
                [&](int rank, const std::byte* theirs) {
                  copy_bytes(receive.data() + at_rank(rank) * bytes, theirs + mine, bytes);
                });
}

started_allgather::started_allgather(const context& ctx, std::span<const std::byte> mine)
    : ctx_(ctx),
      mine_(copied_to_host(ctx, mine)),
      posted_(mine.size() <= bootstrap_of(ctx).round_bytes()) {
  if (posted_) rounds::enter(ctx_, make_tag(operation::allgather, mine_.size()), mine_);
}

void started_allgather::finish(std::span<std::byte> all) {
  if (run_mirrored(ctx_, {written_part(all)}, [&](const device_mirror& on) { finish(on.host(0)); }))
    return;
  if (!posted_) return allgather(ctx_, mine_, all);
  require_space(ctx_, "allgather", mine_.size(), all.size());
  const std::uint64_t tag = make_tag(operation::allgather, mine_.size());
  const trace_span span(ctx_.trace(), rounds::name_of(tag));
  rounds::take_all(ctx_, tag, mine_, [&](int rank, const std::byte* theirs) {
    copy_bytes(all.data() + at_rank(rank) * mine_.size(), theirs, mine_.size());
  });
}

}  // namespace onehop
