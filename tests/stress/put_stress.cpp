// put_stress SECONDS [RANKS [SEED]] plays random chains on processes over shared memory for that
// long and checks every byte. It says how many puts were made; it exits with 0 when none was lost
// or damaged.

#include <onehop/collectives.hpp>

#include <cstdio>

#include "support/random_exchange.hpp"

using namespace onehop;

namespace {

struct plan {
  double seconds;
  int ranks;
  std::uint64_t seed;
};

/// Plays some hundred exchanges of one random pattern; returns the puts of this rank.
std::uint64_t play_pattern(const context& ctx, std::uint64_t seed) {
  test::dice alike(seed), own(seed * 64 + static_cast<std::uint64_t>(ctx.rank()));
  // Chains have a few puts as often as thousands; many puts are small, so that time goes into puts,
  // not bytes.
  const auto puts = 1 + alike.below(std::uint64_t{1} << alike.below(13));
  const std::size_t most_bytes =
      std::min(std::size_t{8} << alike.below(9), std::max<std::size_t>(8, 262'144 / puts));
  const test::window_kind kind = test::draw_window(alike);
  test::player side(ctx,
                    test::random_pattern(alike.below(1U << 30), ctx.size(), static_cast<int>(puts),
                                         most_bytes, alike.below(4) == 0),
                    kind);
  // Where cores are shared each exchange costs a turn of the scheduler, whatever it carries.
  const int exchanges = 200 + 2 * static_cast<int>(puts);
  for (int exchange = 1; exchange <= exchanges; ++exchange) {
    if (own.below(4) == 0)
      side.start_in_parts(exchange, own);
    else
      side.start(exchange);
    side.finish(own);
    side.verify_all();
  }
  return static_cast<std::uint64_t>(exchanges) * side.puts();
}

void play(const context& ctx, const plan& what) {
  const auto begin = test::clock::now();
  double made = 0, patterns = 0;
  for (double stop = 0; stop == 0; ++patterns) {
    made +=
        static_cast<double>(play_pattern(ctx, what.seed + static_cast<std::uint64_t>(patterns)));
    stop = test::seconds_since(begin) > what.seconds ? 1 : 0;
    allreduce_max(ctx, std::span(&stop, 1));
  }
  allreduce_sum(ctx, std::span(&made, 1));
  const double seconds = test::seconds_since(begin);
  if (ctx.rank() == 0)
    std::printf("%.0f puts of %.0f patterns on %d ranks in %.1f s, %.2e per second, none wrong\n",
                made, patterns, ctx.size(), seconds, made / seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: put_stress SECONDS [RANKS [SEED]]\n", stderr);
    return 2;
  }
  const plan what{std::atof(argv[1]), argc > 2 ? std::atoi(argv[2]) : 2,
                  argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1};
  const auto ends =
      test::run_in_processes(what.ranks, [&](const context& ctx) { play(ctx, what); });
  int bad = 0;
  for (const test::rank_end& end : ends)
    if (!end.good()) {
      std::fprintf(stderr, "signal %d %s\n", end.signal, end.message.c_str());
      bad = 1;
    }
  return bad;
}
