#pragma once
/// Every rank draws these random chains alike, and a player plays one rank's part in them.

#include <algorithm>
#include <deque>
#include <vector>

#include "support/exchange.hpp"

namespace test {

struct random_put {
  enum kind { contiguous, strided, packed };
  kind how;
  int origin, target, number;  ///< number counts the puts of the origin
  std::size_t offset, bytes, blocks;
  bool variable;
  onehop::strided_layout remote = {};
  std::vector<std::size_t> starts = {};  ///< starts of its runs at the target, where it lists them

  /// Bytes of the target's window from the first to the last that the put writes.
  std::size_t extent() const {
    if (remote.run_bytes == 0) return bytes;
    if (!starts.empty()) return *std::ranges::max_element(starts) + remote.run_bytes;
    std::size_t all = remote.run_bytes;
    for (std::size_t loop = 0; loop < 3; ++loop)
      all += (remote.counts[loop] - 1) * static_cast<std::size_t>(remote.strides_bytes[loop]);
    return all;
  }
  /// The bytes of the put one behind the other, from where they lie in the target's window.
  std::vector<std::byte> gathered(const std::byte* from) const {
    std::vector<std::byte> all;
    const auto add = [&](std::size_t at) {
      all.insert(all.end(), from + at, from + at + remote.run_bytes);
    };
    for (const std::size_t start : starts) add(start);
    for (std::size_t c = 0; starts.empty() && c < remote.counts[2]; ++c)
      for (std::size_t b = 0; b < remote.counts[1]; ++b)
        for (std::size_t a = 0; a < remote.counts[0]; ++a)
          add(a * static_cast<std::size_t>(remote.strides_bytes[0]) +
              b * static_cast<std::size_t>(remote.strides_bytes[1]) +
              c * static_cast<std::size_t>(remote.strides_bytes[2]));
    return all;
  }

  /// Returns the bytes that the put sends in this exchange, which every rank computes alike.
  std::size_t bytes_in(int exchange) const {
    if (!variable || exchange < 0) return bytes;
    dice draw(static_cast<std::uint64_t>(exchange) * 1009 + static_cast<std::uint64_t>(number));
    // A size of zero and the full size occur now and then.
    const std::uint64_t what = draw.below(6);
    return what == 0 ? 0 : what == 1 ? bytes : draw.below(bytes + 1);
  }
};

/// Any pairs, sizes from 1 byte to `most_bytes`, gaps between; some arrive in runs where that is
/// asked for.
struct random_pattern {
  std::vector<random_put> puts;
  std::vector<std::size_t> window_bytes;
  /// Arrivals are read before the next puts are packed, and the chain says so.
  bool in_turns = false;

  /// Returns the pattern with a put back for every put to another rank, and chains that take turns.
  random_pattern both_ways() const {
    random_pattern all = *this;
    all.puts.clear();
    std::vector<int> numbers(window_bytes.size());
    const auto add = [&](random_put put) {
      put.number = numbers[static_cast<std::size_t>(put.origin)]++;
      all.puts.push_back(put);
    };
    for (const random_put& put : puts) {
      add(put);
      if (put.origin == put.target) continue;
      random_put back = put;
      std::swap(back.origin, back.target);
      std::size_t& end = all.window_bytes[static_cast<std::size_t>(back.target)];
      back.offset = end;
      end += back.extent();
      add(back);
    }
    all.in_turns = true;
    return all;
  }

  random_pattern(std::uint64_t seed, int ranks, int count, std::size_t most_bytes = 8192,
                 bool in_runs = false)
      : window_bytes(ranks) {
    dice draw(seed);
    std::vector<int> numbers(ranks);
    for (int i = 0; i < count; ++i) {
      const int origin = static_cast<int>(draw.below(ranks));
      const int target = static_cast<int>(draw.below(ranks));
      const auto how = static_cast<random_put::kind>(draw.below(3));
      const std::size_t blocks = how == random_put::strided ? 1 + draw.below(5) : 1;
      // Small sizes are as frequent as large ones.
      const std::size_t block = 1 + draw.below(1 + draw.below(most_bytes / blocks));
      const std::size_t offset = window_bytes[target] + draw.below(3);
      const bool variable = blocks == 1 && draw.below(3) == 0;
      puts.push_back(
          {how, origin, target, numbers[origin]++, offset, block * blocks, blocks, variable});
      if (in_runs && !variable && draw.below(2) == 0) lay_out(puts.back(), draw);
      window_bytes[target] = offset + puts.back().extent();
    }
  }

 private:
  /// Lays a put out in loops of a few runs with gaps between, or in runs that lie in any order.
  static void lay_out(random_put& put, dice& draw) {
    put.remote.run_bytes = put.bytes;
    for (std::size_t loop = 0; loop < 3; ++loop) {
      const std::size_t count = 1 + draw.below(4);
      if (put.remote.run_bytes % count != 0) continue;
      put.remote.run_bytes /= count;
      put.remote.counts[loop] = count;
    }
    std::size_t covered = put.remote.run_bytes;
    for (std::size_t loop = 0; loop < 3; ++loop) {
      const std::size_t stride = covered + draw.below(20);
      put.remote.strides_bytes[loop] = static_cast<std::ptrdiff_t>(stride);
      covered += (put.remote.counts[loop] - 1) * stride;
    }
    if (draw.below(2) == 0) return;
    const std::size_t runs = put.bytes / put.remote.run_bytes;
    put.remote.counts = {1, 1, 1};
    for (std::size_t run = 0; run < runs; ++run)
      put.starts.push_back(run * (put.remote.run_bytes + 3));
    for (std::size_t run = runs; run > 1; --run)
      std::swap(put.starts[run - 1], put.starts[draw.below(run)]);
  }
};

/// A window has one bank, two banks, or memory of the test's own.
enum class window_kind { one_bank, two_banks, registered };
inline window_kind draw_window(dice& draw) { return static_cast<window_kind>(draw.below(3)); }

/// A player is one rank's side of a pattern.
class player {
 public:
  player(const onehop::context& ctx, const random_pattern& pattern, window_kind kind)
      : ctx_(ctx),
        own_(kind == window_kind::registered ? pattern.window_bytes[ctx.rank()] : 0),
        memory_(make_window(pattern.window_bytes[ctx.rank()], kind)),
        chain_(ctx, memory_) {
    for (const random_put& put : pattern.puts) {
      if (put.origin == ctx.rank()) add(put);
      if (put.target == ctx.rank()) {
        notifications_.push_back(chain_.add_origin(put.origin));
        arrivals_.push_back(put);
      }
    }
    if (pattern.in_turns) chain_.take_turns();
    chain_.commit();
  }

  void start(int exchange) {
    exchange_ = exchange;
    for (outgoing& out : puts_) {
      write(out, exchange);
      if (out.put.variable) chain_.set_bytes(out.slot, out.put.bytes_in(exchange));
    }
    chain_.start();
  }

  /// Starts in part, and makes the puts ready in any order, between looks at what has come.
  void start_in_parts(int exchange, dice& draw) {
    exchange_ = exchange;
    std::vector<outgoing*> order;
    for (outgoing& out : puts_) order.push_back(&out);
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[draw.below(left)]);
    chain_.start_partial();
    for (outgoing* out : order) {
      write(*out, exchange);
      if (out->put.variable) chain_.set_bytes(out->slot, out->put.bytes_in(exchange));
      chain_.ready(out->slot);
      if (arrivals_.empty() || draw.below(3) != 0) continue;
      const std::size_t one = draw.below(arrivals_.size());
      if (chain_.test(notifications_[one])) verify(one);
    }
  }

  /// Uses some faces and sources as they come, in any order, then waits for all.
  void finish(dice& draw) {
    for (std::uint64_t i = draw.below(4); i > 0 && !arrivals_.empty(); --i) {
      const std::size_t one = draw.below(arrivals_.size());
      chain_.wait(notifications_[one]);
      verify(one);
    }
    if (!puts_.empty() && draw.below(2) == 0) {
      outgoing& early = puts_[draw.below(puts_.size())];
      if (early.put.how != random_put::packed && chain_.source_free(early.slot)) write(early, -1);
    }
    if (draw.below(3) == 0)
      while (!chain_.test()) {
      }
    else
      chain_.wait();
    for (outgoing& out : puts_)
      if (out.put.how != random_put::packed) write(out, -1);
  }

  void verify_all() const {
    for (std::size_t i = 0; i < arrivals_.size(); ++i) verify(i);
  }
  std::size_t puts() const { return puts_.size(); }

 private:
  struct outgoing {
    random_put put;
    std::vector<std::byte> source;
    std::ptrdiff_t stride;
    onehop::put_slot slot;
  };

  onehop::window make_window(std::size_t bytes, window_kind kind) {
    if (kind == window_kind::registered) return onehop::window::register_existing(ctx_, own_);
    return onehop::window::allocate(ctx_, bytes, kind == window_kind::two_banks ? 2 : 1);
  }

  void add(const random_put& put) {
    const std::size_t block = put.bytes / put.blocks, gap = block + 5;
    outgoing& out = puts_.emplace_back(outgoing{
        put, std::vector<std::byte>(gap * put.blocks), static_cast<std::ptrdiff_t>(gap), {}});
    const onehop::local_view view{out.source.data(), block, put.blocks, out.stride};
    end_to_end_.resize(std::max(end_to_end_.size(), put.bytes));
    onehop::put description = put.how == random_put::packed
                                  ? onehop::put::packed(put.bytes, put.target, put.offset)
                                  : onehop::put{view, put.target, put.offset};
    description.variable = put.variable;
    description.remote = put.remote;
    description.remote_starts = put.starts;
    out.slot = chain_.push(description);
  }

  void write(outgoing& out, int exchange) {
    const auto stride = static_cast<std::size_t>(out.stride);
    const std::size_t block = out.put.bytes / out.put.blocks;
    const bool strided = out.put.how == random_put::strided;
    const std::span<std::byte> whole = out.put.how == random_put::packed
                                           ? chain_.target_view(out.slot)
                                       : strided ? std::span(end_to_end_).first(out.put.bytes)
                                                 : std::span(out.source).first(out.put.bytes);
    fill(whole, ctx_.rank(), out.put.number, exchange);
    for (std::size_t b = 0; strided && b < out.put.blocks; ++b)
      std::memcpy(&out.source[b * stride], &whole[b * block], block);
  }

  void verify(std::size_t i) const {
    const auto bytes = chain_.arrived(notifications_[i]);
    const random_put& put = arrivals_[i];
    const bool in_runs = put.remote.run_bytes != 0;
    if (in_runs) {
      const std::size_t first = put.starts.empty() ? 0 : *std::ranges::min_element(put.starts);
      expect(bytes.size() == put.extent() - first, "extent of an arrival in runs");
      expect_filled(put.gathered(bytes.data() - first), put.origin, put.number, exchange_);
    } else {
      expect(bytes.size() == put.bytes_in(exchange_), "size of an arrival");
      expect_filled(bytes, put.origin, put.number, exchange_);
    }
    expect(own_.empty() || in_runs || bytes.data() == &own_[put.offset], "its place");
  }

  onehop::context ctx_;
  std::vector<std::byte> own_;
  onehop::window memory_;
  std::deque<outgoing> puts_;
  std::vector<std::byte> end_to_end_;  ///< the blocks of a put before they are spread
  std::vector<random_put> arrivals_;
  std::vector<onehop::notification> notifications_;
  onehop::put_chain chain_;
  int exchange_ = 0;
};

}  // namespace test
