#pragma once
/// Ranks send each other items of sizes that both know, and check all that they take.

#include <algorithm>
#include <map>
#include <onehop/collectives.hpp>
#include <onehop/stream.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/exchange.hpp"

namespace test {

using rank_list = std::vector<int>;

inline rank_list all_of(const onehop::context& ctx) {
  rank_list all(static_cast<std::size_t>(ctx.size()));
  for (int rank = 0; rank < ctx.size(); ++rank) all[static_cast<std::size_t>(rank)] = rank;
  return all;
}
inline rank_list first_of(const onehop::context&) { return {0}; }
inline rank_list last_of(const onehop::context& ctx) { return {ctx.size() - 1}; }

inline bool has(const rank_list& list, int rank) {
  return std::ranges::find(list, rank) != list.end();
}

inline std::byte byte_of(int producer, int consumer, std::uint64_t number, std::size_t i) {
  return static_cast<std::byte>(31 * static_cast<std::uint64_t>(producer) +
                                57 * static_cast<std::uint64_t>(consumer) + 101 * number + i);
}

/// Returns the bytes of the n-th item from one rank to another, which both of them know.
inline std::size_t size_of(int producer, int consumer, std::uint64_t number, std::size_t largest) {
  dice alike(1000 * static_cast<std::uint64_t>(producer) +
             100'000 * static_cast<std::uint64_t>(consumer) + number);
  const std::uint64_t kind = alike.below(6);
  if (kind == 0) return 0;
  return kind == 1 ? largest : alike.below(largest + 1);
}

/// Every producer sends the same number of items to every consumer, and both check all of them. A
/// rank does what it can in an order of its own, and keeps some items longer than it must.
class stream_player {
 public:
  stream_player(const onehop::context& ctx, const rank_list& producers, const rank_list& consumers,
                const onehop::stream_options& how, std::uint64_t items, dice own)
      : ctx_(ctx),
        how_(how),
        items_(items),
        own_(own),
        stream_(ctx, producers, consumers, how),
        produces_(has(producers, ctx.rank())),
        consumes_(has(consumers, ctx.rank())),
        closed_(!produces_),
        ended_(!consumes_) {
    if (produces_)
      for (const int to : consumers) sent_[to] = 0;
    if (consumes_)
      for (const int from : producers) seen_[from] = 0;
  }

  void play() {
    while (!closed_ || !ended_) {
      bool moved = false;
      if (!closed_) moved |= produce();
      if (!ended_) moved |= consume();
      if (!moved) std::this_thread::yield();
    }
    for (const auto& [from, seen] : seen_)
      expect(seen == items_, "all items of rank " + std::to_string(from));
    for (const kept& one : held_) stream_.release(one.item);
    // The barrier is needed, since the others may still be waiting for what is on its way.
    onehop::barrier(ctx_);
  }

 private:
  bool produce() {
    bool left = false;
    for (auto& [to, number] : sent_) {
      if (number == items_) continue;
      left = true;
      const std::size_t bytes = size_of(ctx_.rank(), to, number, how_.largest_item);
      const auto place = stream_.try_reserve(std::min(bytes + 7, how_.largest_item), to);
      if (!place) continue;
      for (std::size_t i = 0; i < bytes; ++i) place->bytes[i] = byte_of(ctx_.rank(), to, number, i);
      stream_.publish(*place, bytes);
      ++number;
      if (own_.below(8) == 0) stream_.flush();
      return true;
    }
    if (left) return false;
    closed_ = stream_.try_close();
    return closed_;
  }

  bool consume() {
    onehop::stream::item one;
    const onehop::stream::state seen = stream_.try_next(one);
    ended_ = seen == onehop::stream::state::ended;
    if (seen == onehop::stream::state::item) {
      held_.push_back({one, seen_[one.producer]++});
      expect_right(held_.back());
    }
    // An item that is kept must still be what it was.
    while (!held_.empty() && (seen != onehop::stream::state::item || own_.below(3) == 0)) {
      const std::size_t which = own_.below(held_.size());
      expect_right(held_[which]);
      stream_.release(held_[which].item);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    return seen == onehop::stream::state::item;
  }

  struct kept {
    onehop::stream::item item;
    std::uint64_t number;
  };

  void expect_right(const kept& one) const {
    const auto& [item, number] = one;
    expect(item.bytes.size() == size_of(item.producer, ctx_.rank(), number, how_.largest_item),
           "bytes of item " + std::to_string(number));
    for (std::size_t i = 0; i < item.bytes.size(); ++i)
      if (item.bytes[i] != byte_of(item.producer, ctx_.rank(), number, i))
        expect(false, "byte " + std::to_string(i) + " of item " + std::to_string(number));
  }

  onehop::context ctx_;
  onehop::stream_options how_;
  std::uint64_t items_;
  dice own_;
  onehop::stream stream_;
  bool produces_, consumes_, closed_, ended_;
  std::map<int, std::uint64_t> sent_, seen_;
  std::vector<kept> held_;
};

}  // namespace test
