#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/chain_check.hpp"
#include "rma/device_channels.hpp"
#include "rma/put_chain_state.hpp"
#include "rma/waiter.hpp"

namespace onehop {

bool on_device(const context& ctx, const std::byte* data) {
  const device_channels* const channels = transport_of(ctx).device_channels();
  return channels != nullptr && channels->holds(data);
}

void put_chain::state::commit_on_devices(chain_description chain) {
  refuse_on_devices(chain);
  const window::state& into = *target.shared();
  const device_request mine{
      ctx, sources, origins, into.existing, target.on_device(), into.memory, device.wants_stream};
  const auto commit = transport_of(ctx).device_channels()->begin(mine, chain);
  if (commit->by_address())
    make_plan_to_windows(chain);
  else
    make_plan(chain);
  seen.assign(origins.size(), 0);
  find_ghosts();
  std::vector<std::byte*> places;
  for (const arrival_home& home : homes) places.push_back(home.bank[1]);
  device_carrier made = commit->finish({plan, places, landing ? landing : into.memory});
  memory = std::move(made.name);
  device.endpoint = made.runner.get();
  runner = std::move(made.runner);
  owner = this_caller();
  find_packings();
}

void put_chain::state::await_stream() {
  const trace_span span(ctx.trace(), "synchronise", exchange);
  device_endpoint& on = *device.endpoint;
  try {
    wait_until(
        ctx, [&] { return on.stream_passed(); },
        [&] {
          wait_report wait{
              text("for the stream of its device in exchange ", exchange, " of a put chain"), {}};
          for (const auto& [rank, what] : on.waited_for()) wait.missing.push_back({rank, what});
          return wait;
        });
  } catch (...) {
    on.release();
    throw;
  }
}

void put_chain::state::refuse_managed(std::string_view what, const std::byte* data) const {
  const device_channels* const channels = transport_of(ctx).device_channels();
  if (channels == nullptr || !channels->is_managed(data)) return;
  throw usage_error(text("rank ", ctx.rank(), ": ", what,
                         " of a put chain with set_stream lies in managed memory, which counts as "
                         "the host's and follows no stream: give memory of a device, or wait for "
                         "the stream before start and leave set_stream out"));
}

void put_chain::state::refuse_managed() const {
  for (std::size_t put = 0; put < sources.size(); ++put)
    refuse_managed(text("the source of put ", put), sources[put].data);
  refuse_managed("the window", target.local().data());
}

void put_chain::state::follow_stream() {
  if (!device.endpoint->on_device()) return;
  if (!device.stream)
    throw usage_error(text("rank ", ctx.rank(),
                           ": start of a put chain from or to a device's memory without a stream: "
                           "name the stream that uses this memory with set_stream"));
  device.endpoint->follow(*device.stream);
}

}  // namespace onehop
