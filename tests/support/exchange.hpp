#pragma once
/// Tests can predict the bytes of these windows and chains.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <onehop/put_chain.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/ranks.hpp"

namespace test {

/// dice are a small generator with a seed, the same on every rank.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed * 2862933555777941757ULL + 3037000493ULL) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

/// pattern_words are what `sender` sends as its put `put` in exchange `exchange`, eight bytes at a
/// time: loops over words become vector instructions, so that a run at length tests the transport
/// and not the test.
class pattern_words {
 public:
  pattern_words(int sender, int put, int exchange)
      : first_(static_cast<std::uint64_t>(sender) * 0x9e3779b97f4a7c15 +
               static_cast<std::uint64_t>(put) * 0xbf58476d1ce4e5b9 +
               static_cast<std::uint64_t>(exchange) * 0x94d049bb133111eb) {}
  std::uint64_t operator[](std::size_t word) const {
    const std::uint64_t mixed = first_ + word * 0xda942042e4dd58b5;
    return mixed ^ (mixed >> 29);
  }

 private:
  std::uint64_t first_;
};

/// Returns byte `i` of the pattern.
inline std::byte pattern(int sender, int put, int exchange, std::size_t i) {
  const std::uint64_t word = pattern_words(sender, put, exchange)[i / sizeof word];
  return std::bit_cast<std::array<std::byte, sizeof word>>(word)[i % sizeof word];
}

inline void fill(std::span<std::byte> bytes, int sender, int put, int exchange) {
  const pattern_words words(sender, put, exchange);
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = words[at / sizeof word];
    std::memcpy(&bytes[at], &word, sizeof word);
  }
  const std::uint64_t last = words[at / sizeof last];
  if (at < bytes.size()) std::memcpy(&bytes[at], &last, bytes.size() - at);
}

inline bool is_filled(std::span<const std::byte> bytes, int sender, int put, int exchange) {
  const pattern_words words(sender, put, exchange);
  std::uint64_t wrong = 0;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, &bytes[at], sizeof word);
    wrong |= word ^ words[at / sizeof word];
  }
  const std::uint64_t last = words[at / sizeof last];
  return wrong == 0 &&
         (at == bytes.size() || std::memcmp(&bytes[at], &last, bytes.size() - at) == 0);
}

inline void expect_filled(std::span<const std::byte> bytes, int sender, int put, int exchange,
                          std::source_location where = std::source_location::current()) {
  if (is_filled(bytes, sender, put, exchange)) return;
  std::size_t i = 0;
  while (bytes[i] == pattern(sender, put, exchange, i)) ++i;
  expect(false,
         "byte " + std::to_string(i) + " of put " + std::to_string(put) + " from rank " +
             std::to_string(sender) + " in exchange " + std::to_string(exchange),
         where);
}

/// In a ring each rank puts to the next (and, symmetric, to the previous).
struct ring {
  onehop::context ctx;
  std::vector<std::byte> up, down;
  onehop::window memory;
  onehop::put_chain chain;
  onehop::notification from_below, from_above;
  int above, below;
  onehop::put_slot to_above, to_below;

  ring(const onehop::context& context, std::size_t bytes, bool symmetric, int banks = 2)
      : ctx(context),
        up(bytes),
        down(bytes),
        memory(onehop::window::allocate(ctx, 2 * bytes, banks)),
        chain(ctx, memory),
        above((ctx.rank() + 1) % ctx.size()),
        below((ctx.rank() + ctx.size() - 1) % ctx.size()) {
    to_above = chain.push({onehop::local_view::contiguous(up), above, 0});
    from_below = chain.add_origin(below);
    if (symmetric) {
      to_below = chain.push({onehop::local_view::contiguous(down), below, bytes});
      from_above = chain.add_origin(above);
    }
    chain.commit();
  }

  void fill_sources(int exchange) {
    fill(up, ctx.rank(), 0, exchange);
    fill(down, ctx.rank(), 1, exchange);
  }
  void expect_arrivals(int exchange) const {
    expect_filled(chain.arrived(from_below), below, 0, exchange);
    if (from_above.index >= 0) expect_filled(chain.arrived(from_above), above, 1, exchange);
  }
};

}  // namespace test
