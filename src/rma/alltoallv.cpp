#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <onehop/collectives.hpp>
#include <onehop/context.hpp>
#include <onehop/error.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/block_exchange.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

/// If a rank's blocks fit into the message of a round, they travel with it, provided that a rank
/// reads only what it wants of a message. The message holds first the offset of every block from
/// its beginning and the offset of their end, then the blocks. If it begins with 0, the blocks come
/// by the exchange of blocks instead.
class short_blocks {
 public:
  /// A message has no more bytes than this, even if a round takes longer ones.
  static constexpr std::size_t most_bytes = 8192;

  /// `send` has one block for every rank.
  short_blocks(const context& ctx, std::span<const std::span<const std::byte>> send) {
    const bootstrap& via = bootstrap_of(ctx);
    if (!via.reads_in_place()) return;
    const std::size_t table = (send.size() + 1) * sizeof(offset);
    std::size_t all = table;
    for (const auto& block : send) all += block.size();
    fit_ = all <= std::min(via.round_bytes(), most_bytes);
    bytes_ = fit_ ? all : sizeof(offset);
    std::size_t begin = fit_ ? table : 0;
    set(0, begin);
    for (std::size_t rank = 0; fit_ && rank < send.size(); ++rank) {
      if (!send[rank].empty())
        copy_bytes(message_.data() + begin, send[rank].data(), send[rank].size());
      begin += send[rank].size();
      set(rank + 1, begin);
    }
  }

  /// Returns whether all blocks are in the message.
  bool fit() const noexcept { return fit_; }
  /// Returns the message, which is empty if no rank can use it.
  std::span<const std::byte> message() const noexcept { return {message_.data(), bytes_}; }

  /// Returns the block for `rank` in a message that is not empty; no value if the block comes by
  /// the exchange.
  static std::optional<std::span<const std::byte>> block(const std::byte* message, int rank) {
    offset first, of[2];
    std::memcpy(&first, message, sizeof first);
    if (first == 0) return std::nullopt;
    std::memcpy(of, message + static_cast<std::size_t>(rank) * sizeof(offset), sizeof of);
    return std::span(message + of[0], of[1] - of[0]);
  }

 private:
  using offset = std::uint32_t;
  void set(std::size_t place, std::size_t value) {
    const auto written = static_cast<offset>(value);
    std::memcpy(message_.data() + place * sizeof(offset), &written, sizeof written);
  }

  std::array<std::byte, most_bytes> message_;
  std::size_t bytes_ = 0;
  bool fit_ = false;
};

using blocks = std::span<const std::span<const std::byte>>;

/// The header precedes the first piece of every block. It fills a cache line, so that the bytes
/// after it are aligned.
struct header {
  std::uint64_t bytes;         ///< bytes of the whole block
  std::uint64_t longest_sent;  ///< longest block of its sender; it tells how many pieces will come
};
constexpr std::size_t header_bytes = 64;
static_assert(sizeof(header) <= header_bytes);

/// A transfer is one alltoallv; it knows what has been sent and has arrived so far.
class transfer {
 public:
  transfer(const context& ctx, std::uint64_t tag, blocks send, const receive_place& place)
      : ctx_(ctx), tag_(tag), send_(send), place_(place), received_(send.size()) {}

  void run() {
    const short_blocks mine(ctx_, send_);
    rounds::enter(ctx_, tag_, mine.message());
    take_own();
    bool all_here = true;
    for_each_other(ctx_, [&](int rank) {
      const std::byte* const theirs = rounds::hear(ctx_, tag_, rank);
      const auto came =
          mine.message().empty() ? std::nullopt : short_blocks::block(theirs, ctx_.rank());
      all_here &= came.has_value();
      if (came) take_short(rank, *came);
    });
    if (!all_here || !mine.fit()) exchange(exchange_of(ctx_), mine.fit());
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Exchanges the blocks that have not arrived yet. If `sent`, this rank has already sent its own
  /// blocks and sends none here.
  void exchange(block_exchange& via, bool sent) {
    if (sent) send_ = {};
    for_each_other(ctx_, [&](int rank) { longest_ = std::max(longest_, block(rank).size()); });
    const std::size_t longest_sent = longest_;
    for (std::size_t piece = 0; piece == 0 || first_byte(via, piece) < longest_; ++piece) {
      for_each_other(ctx_, [&](int rank) { send_piece(via, rank, piece, longest_sent); });
      via.carry();
      for_each_other(ctx_, [&](int rank) { take_piece(via, rank, piece); });
    }
  }

  std::span<const std::byte> block(int rank) const {
    return send_.empty() ? std::span<const std::byte>() : send_[static_cast<std::size_t>(rank)];
  }
  std::span<std::byte>& place_of(int rank) { return received_[static_cast<std::size_t>(rank)]; }

  std::size_t head(std::size_t piece) const { return piece == 0 ? header_bytes : 0; }
  /// Returns where in its block this piece begins.
  std::size_t first_byte(const block_exchange& via, std::size_t piece) const {
    return piece == 0 ? 0 : piece * via.most() - header_bytes;
  }

  void send_piece(block_exchange& via, int rank, std::size_t piece, std::size_t longest_sent) {
    const std::size_t begin = std::min(first_byte(via, piece), block(rank).size());
    const std::size_t bytes = std::min(via.most() - head(piece), block(rank).size() - begin);
    std::byte* const target = via.outgoing(rank).data();
    if (piece == 0) {
      const header said{block(rank).size(), longest_sent};
      std::memcpy(target, &said, sizeof said);
    }
    if (bytes > 0) copy_bytes(target + head(piece), block(rank).data() + begin, bytes);
    via.set_bytes(rank, head(piece) + bytes);
  }

  void take_piece(block_exchange& via, int rank, std::size_t piece) {
    std::span<const std::byte> came = via.incoming(rank);
    if (piece == 0) {
      header said;
      std::memcpy(&said, came.data(), sizeof said);
      longest_ = std::max<std::size_t>(longest_, said.longest_sent);
      find_place(rank, said.bytes);
      came = came.subspan(header_bytes);
    }
    // The place is empty if it was refused. The piece is dropped then, since others must not wait
    // for us.
    if (came.empty() || place_of(rank).empty()) return;
    copy_bytes(place_of(rank).data() + first_byte(via, piece), came.data(), came.size());
  }

  void take_short(int rank, std::span<const std::byte> block) {
    find_place(rank, block.size());
    if (!block.empty() && !place_of(rank).empty())
      copy_bytes(place_of(rank).data(), block.data(), block.size());
  }

  void find_place(int origin, std::size_t bytes) {
    if (bytes == 0) return;
    try {
      const std::span<std::byte> found = place_(origin, bytes);
      if (found.size() != bytes)
        throw usage_error(text("rank ", ctx_.rank(), ": ", rounds::articled_name_of(tag_),
                               " has room for ", counted(found.size(), "byte"), " from rank ",
                               origin, ", which sends ", bytes));
      place_of(origin) = found;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void take_own() {
    const std::span<const std::byte> own = block(ctx_.rank());
    find_place(ctx_.rank(), own.size());
    const std::span<std::byte> found = place_of(ctx_.rank());
    if (!found.empty()) move_bytes(found.data(), own.data(), own.size());
  }

  const context& ctx_;
  std::uint64_t tag_;
  blocks send_;
  const receive_place& place_;
  std::vector<std::span<std::byte>> received_;
  std::size_t longest_ = 0;
  std::exception_ptr failure_;
};

void exchange(const context& ctx, std::uint64_t tag, blocks send, const receive_place& place) {
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  if (!follows_stream(ctx)) [[likely]]
    return transfer(ctx, tag, send, place).run();
  const host_blocks sent(ctx, send);
  device_places places(ctx, place);
  transfer(ctx, tag, sent.blocks(), places.place()).run();
  places.fill();
}

void send_to_root(const context& ctx, std::uint64_t tag, std::span<const std::byte> mine, int root,
                  const receive_place& place) {
  std::vector<std::span<const std::byte>> send(static_cast<std::size_t>(ctx.size()));
  send[static_cast<std::size_t>(root)] = mine;
  exchange(ctx, tag, send, place);
}

void require_blocks(const context& ctx, const char* what, blocks send) {
  if (send.size() != static_cast<std::size_t>(ctx.size()))
    throw usage_error(text("rank ", ctx.rank(), ": ", what, " of ", counted(send.size(), "block"),
                           " among ", counted(ctx.size(), "rank"),
                           ": give one for each, empty for none"));
}

}  // namespace

void alltoallv(const context& ctx, blocks send, const receive_place& place) {
  require_blocks(ctx, "an alltoallv", send);
  exchange(ctx, make_tag(operation::alltoallv, 0), send, place);
}

void gather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all,
            int root) {
  require_root(ctx, root, "gather to");
  if (ctx.rank() == root) require_space(ctx, "gather", mine.size(), all.size());
  send_to_root(ctx, make_tag(operation::gather, mine.size(), root), mine, root,
               [&](int origin, std::size_t bytes) {
                 return all.subspan(static_cast<std::size_t>(origin) * bytes, bytes);
               });
}

void gatherv(const context& ctx, std::span<const std::byte> mine, const receive_place& place,
             int root) {
  require_root(ctx, root, "gatherv to");
  send_to_root(ctx, make_tag(operation::gatherv, 0, root), mine, root, place);
}

void scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
             int root) {
  require_root(ctx, root, "scatter from");
  std::vector<std::span<const std::byte>> send(static_cast<std::size_t>(ctx.size()));
  if (ctx.rank() == root) {
    require_space(ctx, "scatter", mine.size(), all.size());
    for (std::size_t rank = 0; rank < send.size(); ++rank)
      send[rank] = all.subspan(rank * mine.size(), mine.size());
  }
  exchange(ctx, make_tag(operation::scatter, mine.size(), root), send,
           [&](int, std::size_t) { return mine; });
}

void scatterv(const context& ctx, blocks send, const receive_place& place, int root) {
  require_root(ctx, root, "scatterv from");
  if (ctx.rank() == root) require_blocks(ctx, "a scatterv", send);
  const std::vector<std::span<const std::byte>> none(static_cast<std::size_t>(ctx.size()));
  exchange(ctx, make_tag(operation::scatterv, 0, root), ctx.rank() == root ? send : none, place);
}

}  // namespace onehop
