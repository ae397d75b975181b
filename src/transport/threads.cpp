#include <atomic>
#include <exception>
#include <onehop/context.hpp>
#include <onehop/error.hpp>
#include <onehop/launch.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "transport/base/transport.hpp"
#include "transport/device/transport.hpp"
#include "transport/shm/region.hpp"
#include "transport/stores/transport.hpp"

namespace onehop {
namespace {

/// A first_exception stores the exception that came first, because those of the other ranks follow
/// from it.
class first_exception {
 public:
  void take() noexcept {
    if (!taken_.exchange(true)) exception_ = std::current_exception();
  }
  /// Rethrows the exception, once all threads have stopped.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> taken_ = false;
  std::exception_ptr exception_;
};

void run_rank(const context& ctx, const std::function<void(context)>& body,
              first_exception& failure) noexcept {
  try {
    body(ctx);
  } catch (const std::exception& thrown) {
    failure.take();
    ctx.abandon(thrown.what());
  } catch (...) {
    failure.take();
    ctx.abandon("an exception that is not a std::exception");
  }
}

std::vector<context> make_contexts(int ranks) {
  const std::shared_ptr<stores::arena> arena = shm::make_arena(ranks);
  const environment variables = environment::read();
  std::vector<context> contexts;
  for (int rank = 0; rank < ranks; ++rank) {
    contexts.emplace_back(std::make_shared<stores::transport>(arena, rank));
    contexts.back().set_deadline(variables.deadline);
    transport_of(contexts.back()).set_device_channels(make_device_channels());
    if (!variables.channels.empty()) set_channels(contexts.back(), variables.channels);
  }
  return contexts;
}

}  // namespace

void run_on_threads(int ranks, const std::function<void(context)>& body) {
  std::vector<context> contexts = make_contexts(ranks);
  std::optional<context> last = contexts.back();
  first_exception failure;
  std::vector<std::jthread> threads;
  try {
    for (context& ctx : contexts)
      // The thread owns its rank's context; when the context goes, the rank has left.
      threads.emplace_back(
          [own = std::move(ctx), &body, &failure] { run_rank(own, body, failure); });
    last.reset();
  } catch (const std::system_error& refused) {
    const std::string reason = text("cannot start a thread: ", refused.what());
    last->abandon(reason);
    last.reset();
    threads.clear();
    throw resource_error(reason + "; use fewer ranks");
  }
  threads.clear();
  failure.rethrow();
}

}  // namespace onehop
