#include "rma/stream_blocks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace onehop {
namespace {

/// An own_block is one line of a block in its producer's memory.
struct own_block {
  alignas(64) std::byte line[64];
};

/// A block_by_chain is a put of one chain on a window of one bank. The consumer's start allows the
/// block's bytes to come. They are written here and copied to the consumer as one piece, because
/// single stores to lines in another core's cache take up to four times as long.
class block_by_chain final : public sending_block {
 public:
  block_by_chain(put_chain chain, put_slot slot, std::vector<own_block> lines)
      : chain_(std::move(chain)), slot_(slot), lines_(std::move(lines)) {}

  bool free() override { return gone() && chain_.can_start(); }
  bool gone() override { return !started_ || chain_.test(); }
  std::byte* memory() override { return lines_.data()->line; }
  void send(std::size_t bytes) override {
    chain_.set_bytes(slot_, bytes);
    chain_.start();
    started_ = true;
  }

 private:
  put_chain chain_;
  put_slot slot_;
  std::vector<own_block> lines_;
  bool started_ = false;
};

class block_from_chain final : public arriving_block {
 public:
  block_from_chain(put_chain chain, notification arrival)
      : chain_(std::move(chain)), arrival_(arrival) {
    chain_.start();
  }

  bool here() override { return chain_.test(); }
  std::span<const std::byte> bytes() override { return chain_.arrived(arrival_); }
  void give_back() override { chain_.start(); }

 private:
  put_chain chain_;
  notification arrival_;
};

/// An own_memory holds a block that a rank sends to itself.
struct own_memory {
  std::vector<own_block> lines;
  std::size_t bytes = 0;
  bool full = false;
};

class block_to_self final : public sending_block {
 public:
  explicit block_to_self(std::shared_ptr<own_memory> own) : own_(std::move(own)) {}

  bool free() override { return !own_->full; }
  bool gone() override { return true; }
  std::byte* memory() override { return own_->lines.data()->line; }
  void send(std::size_t bytes) override {
    own_->bytes = bytes;
    own_->full = true;
  }

 private:
  std::shared_ptr<own_memory> own_;
};

class block_from_self final : public arriving_block {
 public:
  explicit block_from_self(std::shared_ptr<own_memory> own) : own_(std::move(own)) {}

  bool here() override { return own_->full; }
  std::span<const std::byte> bytes() override { return {own_->lines.data()->line, own_->bytes}; }
  void give_back() override { own_->full = false; }

 private:
  std::shared_ptr<own_memory> own_;
};

/// A direction takes the edges for which `bit` is the highest bit in which the two ranks' numbers
/// differ, and in which the origin has `value`. No rank is both origin and target of such edges.
struct direction {
  int bit, value;

  bool has(int origin, int target) const {
    if (origin == target) return false;
    const auto differing = static_cast<unsigned>(origin ^ target);
    return static_cast<int>(std::bit_width(differing)) - 1 == bit && (origin >> bit & 1) == value;
  }
};

class maker {
 public:
  maker(const context& ctx, const stream_blocks::shape& of)
      : ctx_(ctx), of_(of), window_(window::allocate(ctx, bytes_here(), 1)) {
    if (place_of(of.producers, ctx.rank()) >= 0)
      for (const int consumer : of.consumers) made_.sent.push_back({consumer, {}});
    if (place_of(of.consumers, ctx.rank()) >= 0)
      for (const int producer : of.producers) made_.received.push_back({producer, {}});
  }

  stream_blocks make() {
    const std::size_t rounds = std::max(of_.producers.size(), of_.consumers.size());
    const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(ctx_.size() - 1)));
    for (std::size_t round = 0; round < rounds; ++round)
      for (int bit = 0; bit < bits; ++bit)
        for (const int value : {0, 1}) commit(round, {bit, value});
    pass_to_self();
    return std::move(made_);
  }

 private:
  static std::ptrdiff_t place_of(std::span<const int> ranks, int rank) {
    const auto found = std::ranges::find(ranks, rank);
    return found == ranks.end() ? -1 : found - ranks.begin();
  }
  std::size_t bytes_here() const {
    if (place_of(of_.consumers, ctx_.rank()) < 0) return 0;
    return of_.block_bytes * static_cast<std::size_t>(of_.blocks) * of_.producers.size();
  }
  std::size_t offset_of(std::ptrdiff_t producer, int block) const {
    return of_.block_bytes * static_cast<std::size_t>(producer * of_.blocks + block);
  }

  /// Commits the chains of one block of every producer, each to a different consumer. A chain holds
  /// one put or one arrival of a rank, so that its start has one meaning.
  void commit(std::size_t round, direction one) {
    const std::size_t ranks = std::max(of_.producers.size(), of_.consumers.size());
    bool any = false;
    std::ptrdiff_t to = -1, from = -1;  // indices among the consumers and the producers
    for (std::size_t p = 0; p < of_.producers.size(); ++p) {
      const std::size_t c = (p + round) % ranks;
      if (c >= of_.consumers.size() || !one.has(of_.producers[p], of_.consumers[c])) continue;
      any = true;
      if (of_.producers[p] == ctx_.rank()) to = static_cast<std::ptrdiff_t>(c);
      if (of_.consumers[c] == ctx_.rank()) from = static_cast<std::ptrdiff_t>(p);
    }
    for (int block = 0; any && block < of_.blocks; ++block) commit_block(to, from, block);
  }

  void commit_block(std::ptrdiff_t to, std::ptrdiff_t from, int block) {
    put_chain chain(ctx_, window_);
    put_slot slot;
    notification arrival;
    std::vector<own_block> lines;
    if (to >= 0) {
      lines.resize(of_.block_bytes / sizeof(own_block));
      slot = chain.push(put::up_to(std::as_bytes(std::span(lines)),
                                   of_.consumers[static_cast<std::size_t>(to)],
                                   offset_of(place_of(of_.producers, ctx_.rank()), block)));
    }
    if (from >= 0) arrival = chain.add_origin(of_.producers[static_cast<std::size_t>(from)]);
    chain.commit();
    if (to >= 0)
      made_.sent[static_cast<std::size_t>(to)].blocks.push_back(
          std::make_unique<block_by_chain>(std::move(chain), slot, std::move(lines)));
    else if (from >= 0)
      made_.received[static_cast<std::size_t>(from)].blocks.push_back(
          std::make_unique<block_from_chain>(std::move(chain), arrival));
  }

  void pass_to_self() {
    const std::ptrdiff_t as_consumer = place_of(of_.consumers, ctx_.rank());
    const std::ptrdiff_t as_producer = place_of(of_.producers, ctx_.rank());
    if (as_consumer < 0 || as_producer < 0) return;
    for (int block = 0; block < of_.blocks; ++block) {
      auto own = std::make_shared<own_memory>();
      own->lines.resize(of_.block_bytes / sizeof(own_block));
      made_.sent[static_cast<std::size_t>(as_consumer)].blocks.push_back(
          std::make_unique<block_to_self>(own));
      made_.received[static_cast<std::size_t>(as_producer)].blocks.push_back(
          std::make_unique<block_from_self>(own));
    }
  }

  const context& ctx_;
  const stream_blocks::shape& of_;
  window window_;
  stream_blocks made_;
};

}  // namespace

stream_blocks stream_blocks::make(const context& ctx, const shape& of) {
  return maker(ctx, of).make();
}

}  // namespace onehop
