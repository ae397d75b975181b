#include <onehop/stream.hpp>

#include <algorithm>
#include <onehop/error.hpp>
#include <vector>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/stream_block.hpp"
#include "rma/stream_blocks.hpp"
#include "rma/stream_check.hpp"
#include "rma/stream_ends.hpp"
#include "rma/waiter.hpp"

namespace onehop {
namespace {

std::size_t block_bytes_of(const stream_options& how) {
  constexpr std::size_t usual = std::size_t{1} << 15, line = 64;
  const std::size_t wanted =
      how.block_bytes != 0 ? how.block_bytes : std::max(usual, stream_block_for(how.largest_item));
  return (wanted + line - 1) / line * line;
}

}  // namespace

struct stream::inside {
  context ctx;
  stream_options how;
  std::size_t block_bytes;
  std::vector<stream_sender> senders;
  std::vector<stream_receiver> receivers;
  std::size_t next_consumer = 0, next_producer = 0;  ///< where the next search for room or for an
                                                     ///< item begins

  inside(const context& job, const stream_options& options, stream_blocks blocks)
      : ctx(job), how(options), block_bytes(block_bytes_of(options)) {
    for (auto& way : blocks.sent)
      senders.push_back({way.peer, std::move(way.blocks), stream_block_writer(block_bytes)});
    for (auto& way : blocks.received) {
      stream_receiver& in = receivers.emplace_back(stream_receiver{way.peer, {}, {}});
      for (auto& memory : way.blocks) in.blocks.push_back({std::move(memory)});
    }
  }

  void require_producer(std::string_view call) const {
    if (senders.empty())
      throw usage_error(text("rank ", ctx.rank(), ": ", call,
                             " on a stream that this rank does not produce for"));
  }
  void require_consumer(std::string_view call) const {
    if (receivers.empty())
      throw usage_error(
          text("rank ", ctx.rank(), ": ", call, " on a stream that this rank does not consume"));
  }
  stream_sender& to(int consumer, std::string_view call) {
    const auto found = std::ranges::find(senders, consumer, &stream_sender::consumer);
    if (found == senders.end())
      throw usage_error(text("rank ", ctx.rank(), ": ", call, " for rank ", consumer,
                             ", which does not consume this stream"));
    return *found;
  }
  void require_reservable(const stream_sender& out) const {
    if (out.closed)
      throw usage_error(
          text("rank ", ctx.rank(), ": reserve on a stream that this rank has closed"));
    if (out.reserved)
      throw usage_error(text("rank ", ctx.rank(), ": reserve while ", out.reserved_bytes,
                             " bytes for rank ", out.consumer,
                             " are reserved: publish them first"));
  }
  place reserve_at(stream_sender& out, std::size_t bytes) {
    out.reserved = true;
    out.reserved_bytes = bytes;
    return {{out.writer.place(), bytes}, out.consumer};
  }
  std::optional<place> try_any(std::size_t bytes) {
    for (std::size_t i = 0; i < senders.size(); ++i) {
      const std::size_t asked = (next_consumer + i) % senders.size();
      stream_sender& out = senders[asked];
      require_reservable(out);
      if (!out.has_space_for(bytes)) continue;
      next_consumer = (asked + 1) % senders.size();
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
    stream_sender& out = to(consumer, "reserve");
    require_reservable(out);
    if (!out.has_space_for(bytes)) return std::nullopt;
    return reserve_at(out, bytes);
  }

  /// Sends blocks that were held back for consumers that have become idle.
  void carry_on() {
    for (stream_sender& out : senders) out.send_if_idle();
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
    for (const stream_sender& out : senders)
      if (!out.closed && (consumer == any || consumer == out.consumer))
        wait.missing.push_back({out.consumer, text("rank ", out.consumer, " has not released ",
                                                   out.blocks.size(), " blocks from here")});
    return wait;
  }
  wait_report no_item() const {
    wait_report wait{"for an item of a stream", {}};
    for (const stream_receiver& in : receivers)
      if (!in.ended)
        wait.missing.push_back(
            {in.producer, text("rank ", in.producer, " has sent nothing more and not closed")});
    return wait;
  }

  bool try_close() {
    require_producer("close");
    for (stream_sender& out : senders) {
      if (out.closed) continue;
      if (out.reserved)
        throw usage_error(text("rank ", ctx.rank(), ": close while ", out.reserved_bytes,
                               " bytes for rank ", out.consumer,
                               " are reserved: publish them first"));
      if (out.open()) out.send_block(true);
    }
    return std::ranges::all_of(senders,
                               [](stream_sender& out) { return out.closed && out.gone(); });
  }

  state try_next(item& into) {
    bool open = false;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      const std::size_t asked = (next_producer + i) % receivers.size();
      stream_receiver& in = receivers[asked];
      if (in.has_item()) {
        const std::size_t block = in.current;
        into = {in.take(), in.producer,
                static_cast<std::uint32_t>(asked * in.blocks.size() + block)};
        // A block is read to its end before a block of another producer is read.
        next_producer = in.reading ? asked : (asked + 1) % receivers.size();
        return state::item;
      }
      open |= !in.ended;
    }
    return open ? state::nothing_yet : state::ended;
  }
};

stream::stream(const context& ctx, std::span<const int> producers, std::span<const int> consumers,
               const stream_options& options) {
  check_stream(ctx, producers, consumers, options);
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
  stream_sender& out = inside_->to(written.consumer, "publish");
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
  if (!bytes.empty()) copy_bytes(here.bytes.data(), bytes.data(), bytes.size());
  publish(here);
}

void stream::flush() {
  inside_->require_producer("flush");
  for (stream_sender& out : inside_->senders)
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
  if (from >= inside_->receivers.size() || inside_->receivers[from].producer != taken.producer ||
      inside_->receivers[from].blocks[block].held == 0)
    throw usage_error(text("rank ", inside_->ctx.rank(),
                           ": release of an item that is not held: release each once, as next "
                           "gave it"));
  stream_receiver& in = inside_->receivers[from];
  in.release(in.blocks[block]);
}

std::size_t stream::memory_bytes() const noexcept {
  return inside_->block_bytes * static_cast<std::size_t>(inside_->how.blocks) *
         inside_->receivers.size();
}

}  // namespace onehop
