#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "support/random_exchange.hpp"

using namespace onehop;
using test::dice;

namespace {

void dawdle(const context& ctx, dice& delays) {
  if (delays.below(6) == 0) test::doze(ctx, std::chrono::microseconds(delays.below(300)));
}

void play(const context& ctx, test::player& side, int exchanges, dice& delays) {
  for (int exchange = 1; exchange <= exchanges; ++exchange) {
    dawdle(ctx, delays);
    if (delays.below(3) == 0)
      side.start_in_parts(exchange, delays);
    else
      side.start(exchange);
    dawdle(ctx, delays);
    side.finish(delays);
    dawdle(ctx, delays);
    side.verify_all();
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(chain_delivers_under_random_sizes_and_delays, test::every_job(), where) {
  using enum test::window_kind;
  for (const test::window_kind kind : {two_banks, one_bank, registered})
    where.run([kind](context ctx) {
      const std::vector<std::string> channels{"plain", "prefetch", "demote", "streaming"};
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        dice delays(seed * 100 + ctx.rank());
        // Every rank takes channels of its own, since ranks need not agree on how the lines travel.
        set_channels(ctx, channels[(seed + ctx.rank()) % channels.size()]);
        test::player side(
            ctx, test::random_pattern(seed, ctx.size(), 5 * ctx.size(), 8192, seed > 3), kind);
        play(ctx, side, 15, delays);
      }
    });
}

BOOST_DATA_TEST_CASE(chains_that_take_turns_deliver_as_the_others, test::every_job(), where) {
  using enum test::window_kind;
  for (const test::window_kind kind : {two_banks, one_bank, registered})
    where.run([kind](context ctx) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        dice delays(seed * 100 + ctx.rank());
        const test::random_pattern drawn(seed, ctx.size(), 3 * ctx.size(), 8192, seed > 4);
        test::player side(ctx, drawn.both_ways(), kind);
        play(ctx, side, 15, delays);
      }
    });
}

BOOST_DATA_TEST_CASE(a_thousand_puts_in_one_chain_all_arrive, test::every_job(), where) {
  where.run([](context ctx) {
    dice delays(ctx.rank());
    test::player side(ctx, test::random_pattern(99, ctx.size(), 1000),
                      test::window_kind::two_banks);
    play(ctx, side, 4, delays);
  });
}
