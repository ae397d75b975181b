#include <onehop/stream.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <onehop/error.hpp>
#include <vector>

#include "base/text.hpp"
#include "rma/gather.hpp"
#include "rma/stream_block.hpp"
#include "rma/stream_blocks.hpp"
#include "rma/waiter.hpp"

namespace onehop {
namespace {

void require_ranks(const context& ctx, std::string_view role, std::span<const int> ranks) {
  if (ranks.empty())
    throw usage_error(text("a stream without ", role, "s: name at least one rank"));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= ctx.size())
      throw usage_error(text("a stream names rank ", ranks[i], " as ", role,
                             ": give one from 0 to ", ctx.size() - 1));
    if (std::ranges::find(ranks.first(i), ranks[i]) != ranks.first(i).end())
      throw usage_error(text("a stream names rank ", ranks[i], " as ", role, " twice"));
  }
}

void require_sizes(const stream_options& how) {
  constexpr std::size_t most = std::size_t{1} << 31;
  if (how.largest_item > most || how.block_bytes > most)
    throw usage_error(text("a stream with items of ", how.largest_item, " bytes in blocks of ",
                           how.block_bytes, ": give at most ", most));
  if (how.blocks < 2)
    throw usage_error(text("a stream with ", how.blocks,
                           " blocks: give at least 2, one to write while one is read"));
  const std::size_t least = stream_block_for(how.largest_item);
  if (how.block_bytes != 0 && how.block_bytes < least)
    throw usage_error(text("a stream of items up to ", how.largest_item, " bytes in blocks of ",
                           how.block_bytes, ": give blocks of at least ", least));
}

/// Returns everything that must be the same on all ranks as one list.
std::vector<std::uint64_t> as_list(std::span<const int> producers, std::span<const int> consumers,
                                   const stream_options& how) {
  std::vector<std::uint64_t> list{how.largest_item, how.block_bytes,
                                  static_cast<std::uint64_t>(how.blocks), producers.size()};
  for (const std::span<const int> ranks : {producers, consumers})
    for (const int rank : ranks) list.push_back(static_cast<std::uint64_t>(rank));
  return list;
}

void require_alike(const context& ctx, const std::vector<std::uint64_t>& mine) {
  const auto all = gather_lists(ctx, mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw usage_error(text("ranks 0 and ", rank,
                             " make a stream of different producers, consumers or options: give "
                             "the same on every rank"));
}

std::size_t block_bytes_of(const stream_options& how) {
  constexpr std::size_t usual = std::size_t{1} << 15, line = 64;
  const std::size_t wanted =
      how.block_bytes != 0 ? how.block_bytes : std::max(usual, stream_block_for(how.largest_item));
  return (wanted + line - 1) / line * line;
}

}  // namespace

struct stream::inside {
  struct outgoing {
    int consumer;
    std::vector<std::unique_ptr<sending_block>> blocks;
    stream_block_writer writer;
    std::size_t current = 0;  ///< index of the block that is written now or next
    bool reserved = false;
    std::size_t reserved_bytes = 0;
    bool sent_any = false, closed = false;

    sending_block& block() { return *blocks[current]; }
    /// Returns whether the consumer has taken and released the block before the current one.
    bool consumer_is_idle() {
      return !sent_any || blocks[(current + blocks.size() - 1) % blocks.size()]->free();
    }
    /// Begins a block where none is begun; returns false while the consumer has all of them.
    bool open() {
      if (writer.open()) return true;
      if (!block().free()) return false;
      writer.begin(block().memory());
      return true;
    }
    void send_block(bool last = false) {
      block().send(writer.finish(last));
      current = (current + 1) % blocks.size();
      sent_any = true;
      closed = last;
    }
    bool has_space_for(std::size_t bytes) {
      if (!open()) return false;
      if (writer.has_room(bytes)) return true;
      send_block();
      return open();
    }
    bool gone() const {
      return std::ranges::all_of(blocks, [](const auto& one) { return one->gone(); });
    }
    bool holds_back() const { return writer.open() && writer.items() > 0 && !reserved; }
    /// Sends the block if the consumer is idle. A consumer that still has a block to read gains
    /// nothing by a short one; items that wait for it travel together.
    void send_if_idle() {
      if (holds_back() && consumer_is_idle()) send_block();
    }
  };

  struct incoming {
    struct block {
      std::unique_ptr<arriving_block> memory;
      std::uint32_t held = 0;  ///< number of items that are taken and not released
      bool read = false;       ///< read to its end, and not given back
    };
    int producer;
    std::vector<block> blocks;
    stream_block_reader reader;
    std::size_t current = 0;  ///< index of the block that is read now or next
    bool reading = false;
    bool ended = false;

    /// Returns whether there is an item to take.
    bool has_item() {
      if (reading) return true;
      block& next = blocks[current];
      if (ended || next.read || !next.memory->here()) return false;
      reader.begin(next.memory->bytes());
      reading = true;
      if (reader.done()) end_block();
      return reading;
    }
    std::span<const std::byte> take() {
      ++blocks[current].held;
      const std::span<const std::byte> bytes = reader.take();
      if (reader.done()) end_block();
      return bytes;
    }
    void end_block() {
      reading = false;
      ended = reader.last();
      blocks[current].read = true;
      current = (current + 1) % blocks.size();
    }
    void release(block& of) {
      if (--of.held > 0 || !of.read || ended) return;
      of.read = false;
      of.memory->give_back();
    }
  };

  context ctx;
  stream_options how;
  std::size_t block_bytes;
  std::vector<outgoing> outgoings;
  std::vector<incoming> incomings;
  std::size_t next_consumer = 0, next_producer = 0;  ///< where the next search for room or for an
                                                     ///< item begins

  inside(const context& job, const stream_options& options, stream_blocks blocks)
      : ctx(job), how(options), block_bytes(block_bytes_of(options)) {
    for (auto& way : blocks.sent)
      outgoings.push_back({way.peer, std::move(way.blocks), stream_block_writer(block_bytes)});
    for (auto& way : blocks.received) {
      incoming& in = incomings.emplace_back(incoming{way.peer, {}, {}});
      for (auto& memory : way.blocks) in.blocks.push_back({std::move(memory)});
    }
  }

  void require_producer(std::string_view call) const {
    if (outgoings.empty())
      throw usage_error(text("rank ", ctx.rank(), ": ", call,
                             " on a stream that this rank does not produce for"));
  }
  void require_consumer(std::string_view call) const {
    if (incomings.empty())
      throw usage_error(
          text("rank ", ctx.rank(), ": ", call, " on a stream that this rank does not consume"));
  }
  outgoing& to(int consumer, std::string_view call) {
    const auto found = std::ranges::find(outgoings, consumer, &outgoing::consumer);
    if (found == outgoings.end())
      throw usage_error(text("rank ", ctx.rank(), ": ", call, " for rank ", consumer,
                             ", which does not consume this stream"));
    return *found;
  }
  void require_reservable(const outgoing& out) const {
    if (out.closed)
      throw usage_error(
          text("rank ", ctx.rank(), ": reserve on a stream that this rank has closed"));
    if (out.reserved)
      throw usage_error(text("rank ", ctx.rank(), ": reserve while ", out.reserved_bytes,
                             " bytes for rank ", out.consumer,
                             " are reserved: publish them first"));
  }
  place reserve_at(outgoing& out, std::size_t bytes) {
    out.reserved = true;
    out.reserved_bytes = bytes;
    return {{out.writer.place(), bytes}, out.consumer};
  }
  std::optional<place> try_any(std::size_t bytes) {
    for (std::size_t i = 0; i < outgoings.size(); ++i) {
      const std::size_t asked = (next_consumer + i) % outgoings.size();
      outgoing& out = outgoings[asked];
      require_reservable(out);
      if (!out.has_space_for(bytes)) continue;
      next_consumer = (asked + 1) % outgoings.size();
      return reserve_at(out, bytes);
    }
    return std::nullopt;
  }
  std::optional<place> try_reserve(std::size_t bytes, int consumer) {
    require_producer("reserve");
    if (bytes > how.largest_item)
      throw usage_error(text("rank ", ctx.rank(), ": reserve of ", bytes,
                             " bytes on a stream of items up to ", how.largest_item,
                             ": make it with a larger largest_item"));
    if (consumer == any) return try_any(bytes);
    outgoing& out = to(consumer, "reserve");
    require_reservable(out);
    if (!out.has_space_for(bytes)) return std::nullopt;
    return reserve_at(out, bytes);
  }

  /// Sends what was held back for consumers that have become idle.
  void carry_on() {
    for (outgoing& out : outgoings) out.send_if_idle();
  }
  template <class Done, class Report>
  void wait_for(Done&& done, Report&& report) {
    wait_until(
        ctx,
        [&] {
          if (done()) return true;
          carry_on();
          return false;
        },
        report);
  }
  wait_report no_room(std::string_view call, int consumer) const {
    wait_report wait{text("in ", call, " of a stream"), {}};
    for (const outgoing& out : outgoings)
      if (!out.closed && (consumer == any || consumer == out.consumer))
        wait.missing.push_back({out.consumer, text("rank ", out.consumer, " has not released ",
                                                   out.blocks.size(), " blocks from here")});
    return wait;
  }
  wait_report no_item() const {
    wait_report wait{"for an item of a stream", {}};
    for (const incoming& in : incomings)
      if (!in.ended)
        wait.missing.push_back(
            {in.producer, text("rank ", in.producer, " has sent nothing more and not closed")});
    return wait;
  }

  bool try_close() {
    require_producer("close");
    for (outgoing& out : outgoings) {
      if (out.closed) continue;
      if (out.reserved)
        throw usage_error(text("rank ", ctx.rank(), ": close while ", out.reserved_bytes,
                               " bytes for rank ", out.consumer,
                               " are reserved: publish them first"));
      if (out.open()) out.send_block(true);
    }
    return std::ranges::all_of(outgoings, [](outgoing& out) { return out.closed && out.gone(); });
  }

  state try_next(item& into) {
    bool open = false;
    for (std::size_t i = 0; i < incomings.size(); ++i) {
      const std::size_t asked = (next_producer + i) % incomings.size();
      incoming& in = incomings[asked];
      if (in.has_item()) {
        const std::size_t block = in.current;
        into = {in.take(), in.producer,
                static_cast<std::uint32_t>(asked * in.blocks.size() + block)};
        // A block is read to its end before another producer's block.
        next_producer = in.reading ? asked : (asked + 1) % incomings.size();
        return state::item;
      }
      open |= !in.ended;
    }
    return open ? state::nothing_yet : state::ended;
  }
};

stream::stream(const context& ctx, std::span<const int> producers, std::span<const int> consumers,
               const stream_options& options) {
  require_alike(ctx, as_list(producers, consumers, options));
  require_ranks(ctx, "producer", producers);
  require_ranks(ctx, "consumer", consumers);
  require_sizes(options);
  inside_ = std::make_unique<inside>(
      ctx, options,
      stream_blocks::make(ctx, {producers, consumers, block_bytes_of(options), options.blocks}));
}

stream::~stream() = default;
stream::stream(stream&&) noexcept = default;
stream& stream::operator=(stream&&) noexcept = default;

stream::place stream::reserve(std::size_t bytes, int consumer) {
  std::optional<place> found = inside_->try_reserve(bytes, consumer);
  if (!found)
    inside_->wait_for(
        [&] {
          found = inside_->try_reserve(bytes, consumer);
          return found.has_value();
        },
        [&] { return inside_->no_room("reserve", consumer); });
  return *found;
}

std::optional<stream::place> stream::try_reserve(std::size_t bytes, int consumer) {
  std::optional<place> found = inside_->try_reserve(bytes, consumer);
  if (!found) inside_->carry_on();
  return found;
}

void stream::publish(const place& written, std::size_t bytes) {
  inside_->require_producer("publish");
  inside::outgoing& out = inside_->to(written.consumer, "publish");
  if (!out.reserved || written.bytes.data() != out.writer.place())
    throw usage_error(text("rank ", inside_->ctx.rank(),
                           ": publish of a place that is not reserved: publish each once, as "
                           "reserve gave it"));
  if (bytes > out.reserved_bytes)
    throw usage_error(text("rank ", inside_->ctx.rank(), ": publish of ", bytes, " bytes where ",
                           out.reserved_bytes, " were reserved"));
  out.writer.add(bytes);
  out.reserved = false;
  out.send_if_idle();
}

void stream::send(std::span<const std::byte> bytes, int consumer) {
  const place here = reserve(bytes.size(), consumer);
  if (!bytes.empty()) std::memcpy(here.bytes.data(), bytes.data(), bytes.size());
  publish(here);
}

void stream::flush() {
  inside_->require_producer("flush");
  for (inside::outgoing& out : inside_->outgoings)
    if (out.holds_back()) out.send_block();
}

void stream::close() {
  if (try_close()) return;
  inside_->wait_for([&] { return inside_->try_close(); },
                    [&] { return inside_->no_room("close", any); });
}

bool stream::try_close() { return inside_->try_close(); }

std::optional<stream::item> stream::next() {
  inside_->require_consumer("next");
  item found;
  state seen = inside_->try_next(found);
  if (seen == state::nothing_yet)
    inside_->wait_for(
        [&] {
          seen = inside_->try_next(found);
          return seen != state::nothing_yet;
        },
        [&] { return inside_->no_item(); });
  if (seen == state::ended) return std::nullopt;
  return found;
}

stream::state stream::try_next(item& into) {
  inside_->require_consumer("try_next");
  const state seen = inside_->try_next(into);
  if (seen == state::nothing_yet) inside_->carry_on();
  return seen;
}

void stream::release(const item& taken) {
  inside_->require_consumer("release");
  const std::size_t blocks = static_cast<std::size_t>(inside_->how.blocks);
  const std::size_t from = taken.block / blocks, block = taken.block % blocks;
  if (from >= inside_->incomings.size() || inside_->incomings[from].producer != taken.producer ||
      inside_->incomings[from].blocks[block].held == 0)
    throw usage_error(text("rank ", inside_->ctx.rank(),
                           ": release of an item that is not held: release each once, as next "
                           "gave it"));
  inside::incoming& in = inside_->incomings[from];
  in.release(in.blocks[block]);
}

std::size_t stream::memory_bytes() const noexcept {
  return inside_->block_bytes * static_cast<std::size_t>(inside_->how.blocks) *
         inside_->incomings.size();
}

}  // namespace onehop
