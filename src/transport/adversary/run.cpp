#include <exception>
#include <onehop/adversary.hpp>
#include <onehop/error.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "transport/adversary/transport.hpp"
#include "transport/device/transport.hpp"

namespace onehop {
namespace {

using adversary::job;

/// An outcome tells how a run ended; only the rank whose turn it is accesses it.
struct outcome {
  std::exception_ptr first;
  std::string waits;  ///< what the ranks that reached their deadlines waited for
};

void note_stall(job& shared, int rank, const timeout_error& late, outcome& end) {
  if (!shared.failure.empty()) return;
  shared.at(rank).stalled = shared.has_stalled = true;
  end.waits += (end.waits.empty() ? "" : "; ") + std::string(late.what());
}

/// Tells the other ranks why this rank stops; it is called while the rank's exception is handled.
void give_up(job& shared, const context& ctx, outcome& end) noexcept {
  if (!end.first) end.first = std::current_exception();
  try {
    throw;
  } catch (const timeout_error& late) {
    note_stall(shared, ctx.rank(), late, end);
  } catch (const std::exception& thrown) {
    // Among the ranks that stop after a stalled one, only those matter that report for whom they
    // wait.
    if (!shared.has_stalled) ctx.abandon(thrown.what());
  } catch (...) {
    ctx.abandon("an exception that is not a std::exception");
  }
}

}  // namespace

void run_with_adversary(int ranks, std::uint64_t seed, const std::function<void(context)>& body) {
  if (ranks < 1 || ranks > 64)
    throw usage_error(text("an adversary with ", ranks, " ranks: give 1 to 64"));
  const auto shared = std::make_shared<job>(ranks, seed);
  outcome end;
  std::vector<std::jthread> threads;
  const auto play = [&](int rank) {
    if (!shared->progress.enter(rank)) return;
    {
      const context ctx(std::make_shared<adversary::transport>(shared, rank));
      transport_of(ctx).set_device_channels(make_device_channels());
      try {
        body(ctx);
      } catch (...) {
        give_up(*shared, ctx, end);
      }
    }
    shared->progress.finish(rank);
  };
  try {
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(play, rank);
  } catch (const std::system_error& refused) {
    shared->progress.cancel();
    threads.clear();
    throw resource_error(text("cannot start a thread: ", refused.what(), "; use fewer ranks"));
  }
  shared->progress.begin();
  threads.clear();
  if (!end.waits.empty())
    throw timeout_error(
        text("adversary with seed ", seed, ": nothing is under way and ", end.waits));
  if (shared->broken_rule) throw error(text("adversary with seed ", seed, ": ", shared->failure));
  if (end.first) std::rethrow_exception(end.first);
}

}  // namespace onehop
