// kill_stress TIMES [RANKS [SEED]] kills a random rank at a random time, TIMES times. The others
// must stop within 2 s with that rank named, and /dev/shm must be as it was. kill_stress rank is
// one rank of a job, until that fails; kill_jobs.py uses it.

#include <onehop/collectives.hpp>

#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "support/random_exchange.hpp"

using namespace onehop;

namespace {

/// Returns this library's names in /dev/shm; other programs may come and go there.
std::set<std::string> names_in_shm() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (entry.path().filename().string().starts_with("onehop")) names.insert(entry.path().string());
  return names;
}

/// Plays patterns for ever: joins, windows, commits, exchanges and collectives are all under way at
/// times.
void play(const context& ctx) {
  for (std::uint64_t seed = 1;; ++seed) {
    test::dice own(seed);
    test::player side(ctx, test::random_pattern(seed, ctx.size(), 6, 500),
                      static_cast<test::window_kind>(seed % 3));
    for (int exchange = 1; exchange <= 30; ++exchange) {
      side.start(exchange);
      side.finish(own);
    }
  }
}

int be_a_rank() {
  try {
    const context ctx = join();
    try {
      play(ctx);
    } catch (const std::exception& failure) {
      ctx.abandon(failure.what());
      throw;
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "kill_stress: %s\n", failure.what());
  }
  return 1;
}

std::string kill_one(int ranks, test::dice& draw) {
  const int segment = create_segment(ranks);
  std::vector<test::child_process> children;
  for (int rank = 0; rank < ranks; ++rank)
    children.emplace_back([&] { play(test::join_as(segment, rank, ranks)); });
  const int victim = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
  std::this_thread::sleep_for(std::chrono::microseconds(draw.below(30'000)));
  kill(children[static_cast<std::size_t>(victim)].number(), SIGKILL);
  const auto killed = test::clock::now();
  children[static_cast<std::size_t>(victim)].wait();
  // `onehop run` does the same when a rank ends; it also covers a rank that has not joined yet.
  mark_failed(segment, victim, "killed by signal 9 (Killed)");
  const std::string name = "rank " + std::to_string(victim) + " ";
  std::string wrong;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == victim) continue;
    const test::rank_end end = children[static_cast<std::size_t>(rank)].wait();
    if (end.signal != 0 || end.message.find(name) == std::string::npos)
      wrong += " rank " + std::to_string(rank) + ": signal " + std::to_string(end.signal) + " " +
               end.message;
  }
  close(segment);
  const double seconds = test::seconds_since(killed);
  if (seconds > 2) wrong += " stopped after " + std::to_string(seconds) + " s";
  return wrong.empty() ? wrong : "victim " + std::to_string(victim) + ":" + wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: kill_stress TIMES [RANKS [SEED]], or kill_stress rank\n", stderr);
    return 2;
  }
  if (std::string_view(argv[1]) == "rank") return be_a_rank();
  const int times = std::atoi(argv[1]), ranks = argc > 2 ? std::atoi(argv[2]) : 3;
  test::dice draw(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const std::set<std::string> before = names_in_shm();
  int bad = 0;
  for (int i = 0; i < times; ++i)
    if (const std::string wrong = kill_one(ranks, draw); !wrong.empty()) {
      std::fprintf(stderr, "kill %d: %s\n", i, wrong.c_str());
      ++bad;
    }
  if (names_in_shm() != before) {
    std::fputs("names were left in /dev/shm\n", stderr);
    ++bad;
  }
  std::printf("%d kills of one of %d ranks, %d wrong\n", times, ranks, bad);
  return bad == 0 ? 0 : 1;
}
