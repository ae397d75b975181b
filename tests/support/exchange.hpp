#pragma once
/// Windows, chains and bytes that a test can predict.

#include <cstdint>
#include <onehop/put_chain.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/ranks.hpp"

namespace test {

/// A small generator with a seed, the same on every rank.
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

/// Byte `i` of what `sender` sends as its put `put` in exchange `exchange`.
inline std::byte pattern(int sender, int put, int exchange, std::size_t i) {
  const auto mixed =
      static_cast<std::uint64_t>(sender * 7919 + put * 104729 + exchange * 15485863) +
      i * 2654435761ULL;
  return static_cast<std::byte>((mixed ^ (mixed >> 13)) & 0xff);
}

inline void fill(std::span<std::byte> bytes, int sender, int put, int exchange) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(sender, put, exchange, i);
}

inline void expect_filled(std::span<const std::byte> bytes, int sender, int put, int exchange,
                          std::source_location where = std::source_location::current()) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != pattern(sender, put, exchange, i))
      expect(false,
             "byte " + std::to_string(i) + " of put " + std::to_string(put) + " from rank " +
                 std::to_string(sender) + " in exchange " + std::to_string(exchange),
             where);
}

/// Each rank puts to the next (and, symmetric, to the previous) of a ring.
struct ring {
  onehop::context ctx;
  std::vector<std::byte> up, down;
  onehop::window memory;
  onehop::put_chain chain;
  onehop::notification from_below, from_above;
  int above, below;

  ring(const onehop::context& context, std::size_t bytes, bool symmetric, int banks = 2)
      : ctx(context),
        up(bytes),
        down(bytes),
        memory(onehop::window::allocate(ctx, 2 * bytes, banks)),
        chain(ctx, memory),
        above((ctx.rank() + 1) % ctx.size()),
        below((ctx.rank() + ctx.size() - 1) % ctx.size()) {
    chain.push({onehop::local_view::contiguous(up), above, 0});
    from_below = chain.add_origin(below);
    if (symmetric) {
      chain.push({onehop::local_view::contiguous(down), below, bytes});
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
