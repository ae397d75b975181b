#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::dice;
using test::expect;

namespace {

struct random_put {
  int origin, target, number;  // number counts the puts of the origin
  std::size_t offset, bytes;
};

/// A pattern that every rank draws alike: any pairs, sizes from 1 byte to some pages, gaps between.
struct random_pattern {
  std::vector<random_put> puts;
  std::vector<std::size_t> window_bytes;

  random_pattern(std::uint64_t seed, int ranks, int count) : window_bytes(ranks) {
    dice draw(seed);
    std::vector<int> numbers(ranks);
    for (int i = 0; i < count; ++i) {
      const int origin = static_cast<int>(draw.below(ranks));
      const int target = static_cast<int>(draw.below(ranks));
      const std::size_t bytes = 1 + draw.below(std::size_t{1} << draw.below(14));
      const std::size_t offset = window_bytes[target] + draw.below(3);
      puts.push_back({origin, target, numbers[origin]++, offset, bytes});
      window_bytes[target] = offset + bytes;
    }
  }
};

/// One rank's side of a pattern.
class player {
 public:
  player(const context& ctx, const random_pattern& pattern, int banks)
      : ctx_(ctx),
        memory_(window::allocate(ctx, pattern.window_bytes[ctx.rank()], banks)),
        chain_(ctx, memory_) {
    for (const random_put& put : pattern.puts) {
      if (put.origin == ctx.rank()) {
        sources_.emplace_back(put.bytes);
        chain_.push({local_view::contiguous(sources_.back()), put.target, put.offset});
      }
      if (put.target == ctx.rank()) {
        chain_.add_origin(put.origin);
        arrivals_.push_back(put);
      }
    }
    chain_.commit();
  }

  void play(int exchange, dice& delays) {
    for (std::size_t i = 0; i < sources_.size(); ++i)
      test::fill(sources_[i], ctx_.rank(), static_cast<int>(i), exchange);
    dawdle(delays);
    chain_.start();
    dawdle(delays);
    // Some faces one by one, in any order, then the rest.
    for (std::uint64_t i = delays.below(4); i > 0 && !arrivals_.empty(); --i) {
      const std::size_t one = delays.below(arrivals_.size());
      chain_.wait(notification{static_cast<int>(one)});
      verify(one, exchange);
    }
    chain_.wait();
    dawdle(delays);
    for (std::size_t i = 0; i < arrivals_.size(); ++i) verify(i, exchange);
  }

 private:
  void verify(std::size_t i, int exchange) const {
    const auto bytes = chain_.arrived(notification{static_cast<int>(i)});
    expect(bytes.size() == arrivals_[i].bytes, "size of an arrival");
    test::expect_filled(bytes, arrivals_[i].origin, arrivals_[i].number, exchange);
  }
  void dawdle(dice& delays) const {
    if (delays.below(6) == 0) test::doze(ctx_, std::chrono::microseconds(delays.below(300)));
  }

  context ctx_;
  window memory_;
  std::vector<std::vector<std::byte>> sources_;
  std::vector<random_put> arrivals_;
  put_chain chain_;
};

}  // namespace

BOOST_DATA_TEST_CASE(chain_delivers_under_random_sizes_and_delays, test::every_job(), where) {
  for (const int banks : {2, 1})
    where.run([banks](context ctx) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        dice delays(seed * 100 + ctx.rank());
        player side(ctx, random_pattern(seed, ctx.size(), 5 * ctx.size()), banks);
        for (int exchange = 1; exchange <= 15; ++exchange) side.play(exchange, delays);
      }
    });
}

BOOST_DATA_TEST_CASE(a_thousand_puts_in_one_chain_all_arrive, test::every_job(), where) {
  where.run([](context ctx) {
    dice delays(ctx.rank());
    player side(ctx, random_pattern(99, ctx.size(), 1000), 2);
    for (int exchange = 1; exchange <= 4; ++exchange) side.play(exchange, delays);
  });
}
