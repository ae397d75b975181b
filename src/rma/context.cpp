#include <algorithm>
#include <onehop/context.hpp>
#include <onehop/error.hpp>
#include <onehop/idle.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/block_exchange.hpp"
#include "rma/sparse_router.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

struct context::state {
  std::shared_ptr<onehop::transport> transport;
  std::chrono::nanoseconds deadline = std::chrono::seconds(60);
  std::shared_ptr<onehop::trace> recorder;
  /// These are created by the first collective that needs them.
  std::unique_ptr<block_exchange> exchange;
  std::unique_ptr<sparse_router> router;
};

context::context(std::shared_ptr<onehop::transport> transport) : state_(std::make_shared<state>()) {
  state_->transport = std::move(transport);
}

int context::rank() const noexcept { return state_->transport->rank(); }
int context::size() const noexcept { return state_->transport->size(); }
std::string_view context::transport() const noexcept { return state_->transport->name(); }
std::chrono::steady_clock::time_point context::now() const noexcept {
  return state_->transport->time().now();
}
void context::work(const kernel_cost& cost) const {
  // On slow machines, longer times cannot be counted in picoseconds.
  constexpr double most = 1e15;
  constexpr int most_launches = 1'000'000'000;
  constexpr double most_seconds = 1e6;
  const auto is_sound = [](double number) { return number >= 0 && number <= most; };
  if (!is_sound(cost.flops) || !is_sound(cost.bytes) || cost.launches < 0 ||
      cost.launches > most_launches || !(cost.seconds >= 0 && cost.seconds <= most_seconds))
    throw usage_error(text("work of ", cost.flops, " operations, ", cost.bytes, " bytes, ",
                           counted(cost.launches, "launch"), " and ", cost.seconds,
                           " seconds: give 0 to ", most, " of the first two, 0 to ", most_launches,
                           " of the third, 0 to ", most_seconds, " of the last"));
  state_->transport->time().work(cost);
}
std::chrono::nanoseconds context::deadline() const noexcept { return state_->deadline; }
void context::set_deadline(std::chrono::nanoseconds deadline) const noexcept {
  // This limit is far above any practical use, and far below the point at which sums of times
  // overflow.
  constexpr std::chrono::nanoseconds longest = std::chrono::hours(24 * 365);
  state_->deadline = std::clamp(deadline, std::chrono::nanoseconds::zero(), longest);
}
void context::abandon(std::string_view reason) const noexcept {
  if (!state_->transport->forked()) state_->transport->failures().abandon(reason);
}
void context::set_trace(std::shared_ptr<onehop::trace> recorder) const noexcept {
  if (recorder)  // The clock lives as long as its transport.
    recorder->follow(std::shared_ptr<const clock>(state_->transport, &state_->transport->time()));
  state_->recorder = std::move(recorder);
}
onehop::trace* context::trace() const noexcept { return state_->recorder.get(); }
bool context::failed_first() const noexcept { return state_->transport->failures().failed_first(); }
transport& transport_of(const context& ctx) noexcept { return *ctx.state_->transport; }

namespace {

/// Creates what does not exist yet. It needs a context of its own, because a chain holds its
/// context: if it held the caller's context, the rank would never leave its job.
template <class Kept>
Kept& kept(std::unique_ptr<Kept>& found, const context& ctx,
           const std::shared_ptr<transport>& transport) {
  if (!found) found = std::make_unique<Kept>(context(transport));
  found->set_deadline(ctx.deadline());
  return *found;
}

}  // namespace

block_exchange& exchange_of(const context& ctx) {
  return kept(ctx.state_->exchange, ctx, ctx.state_->transport);
}
sparse_router& router_of(const context& ctx) {
  return kept(ctx.state_->router, ctx, ctx.state_->transport);
}

void idle(const context& ctx, int turn, std::chrono::steady_clock::time_point until) {
  clock_of(ctx).idle(turn, until);
}

}  // namespace onehop
