#include <algorithm>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gpu/place.hpp"
#include "rma/address_engine.hpp"
#include "rma/device_engine.hpp"
#include "rma/device_packing.hpp"
#include "rma/put_chain_state.hpp"
#include "rma/stream_engine.hpp"
#include "rma/waiter.hpp"

namespace onehop {
namespace {

/// Ranks that cut otherwise would not meet.
std::size_t common_block(const context& ctx) {
  std::size_t mine = 0;
  together(ctx, [&] { mine = environment::read().device_block; });
  const std::vector<std::size_t> all = allgather(ctx, mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw usage_error(text("ONEHOP_DEVICE_BLOCK is ", all[0], " on rank 0 and ", all[rank],
                             " on rank ", rank, ": give the same on all ranks"));
  return mine;
}

/// Streams wait for the chain, or no stream does.
bool all_want_streams(const context& ctx, bool mine) {
  const std::vector<std::uint8_t> all = allgather(ctx, static_cast<std::uint8_t>(mine));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw chain_error(
          text("rank ", all[0] != 0 ? 0 : rank, " commits a put chain with wait_on_stream, rank ",
               all[0] != 0 ? rank : 0, " without: ask for it on all ranks or on none"));
  return mine;
}

/// Some put must go through the host for want of a device that writes the target itself.
bool some_are_staged(const chain_description& chain) {
  const auto staged = [&](const chain_entry& entry) {
    const bool to_device = chain.window_on_device[static_cast<std::size_t>(entry.peer)] != 0;
    return entry.what == chain_entry::kind::put && (entry.on_device != 0 || to_device) &&
           entry.by_peer == 0;
  };
  return std::ranges::any_of(
      chain.ranks, [&](const auto& entries) { return std::ranges::any_of(entries, staged); });
}

std::vector<device_packing> choose_packings(const std::vector<local_view>& sources,
                                            gpu::driver::context owner) {
  std::vector<device_packing> chosen;
  for (const local_view& source : sources)
    chosen.push_back(gpu::place_of(source.data) ? choose_packing(source, owner) : device_packing());
  return chosen;
}

}  // namespace

gpu::driver::context put_chain::state::device_owner() const {
  gpu::driver::context found = nullptr;
  const auto add = [&](const std::byte* data) {
    const auto place = gpu::place_of(data);
    if (!place) return;
    if (found != nullptr && place->owner != found)
      throw usage_error(text("rank ", ctx.rank(),
                             ": a put chain with memory of two devices, or of two contexts of one: "
                             "give the window and the sources of a rank memory of one device"));
    found = place->owner;
  };
  for (const local_view& source : sources) add(source.data);
  if (target.on_device()) add(target.shared()->existing.data());
  return found;
}

std::optional<std::string> put_chain::state::why_no_addresses(
    const chain_description& chain) const {
  if (!some_are_staged(chain)) return std::string();
  device_support mine = transport_of(ctx).devices();
  if (mine.takes_addresses && environment::read().device_channel == "staged")
    mine = {true, false, "ONEHOP_DEVICE_CHANNEL is staged"};
  const bool apart = std::ranges::any_of(sources, [](const local_view& source) {
    return gpu::place_of(source.data) && source.blocks > 1 &&
           source.stride_bytes != static_cast<std::ptrdiff_t>(source.block_bytes);
  });
  if (mine.takes_addresses && apart) mine = {true, false, "rows of a source lie apart"};
  const std::vector<std::uint8_t> all =
      allgather(ctx, static_cast<std::uint8_t>(mine.takes_addresses));
  if (std::ranges::all_of(all, [](std::uint8_t taken) { return taken != 0; })) return std::nullopt;
  return mine.takes_addresses ? "another rank has reasons against it" : mine.why;
}

void put_chain::state::commit_by_address(const chain_description& chain,
                                         gpu::driver::context device) {
  plan = plan_chain(chain, ctx.rank(), sources);
  pass_on_who_asks();
  seen.assign(origins.size(), 0);
  address_engine::part mine;
  mine.owner = device;
  mine.why = transport_of(ctx).devices().why;
  mine.window = chain.registered ? exposed_memory::expose_existing(ctx, target.local())
                                 : target.shared()->memory;
  mine.own = exposed_memory::expose(ctx, transport_of(ctx).endpoint_bytes(plan));
  memory = mine.own;
  homes.clear();
  landing.reset();
  if (chain.registered)
    for (const planned_arrival& from : plan.arrivals)
      homes.push_back(target.local().data() + from.offset);
  find_ghosts();
  for (std::size_t put = 0; put < sources.size(); ++put) {
    const bool from = gpu::place_of(sources[put].data).has_value();
    const bool to = chain.window_on_device[static_cast<std::size_t>(plan.puts[put].target)] != 0;
    mine.ends.emplace_back(from && to ? "from a device's memory to a device's memory"
                           : from     ? "from a device's memory"
                           : to       ? "to a device's memory"
                                      : "");
  }
  std::unique_ptr<address_engine> made;
  together(ctx, [&] {
    mine.runner = transport_of(ctx).make_endpoint(plan, mine.window->id(), mine.own->id());
    made = std::make_unique<address_engine>(ctx, std::move(mine));
  });
  take_on(std::move(made));
}

void put_chain::state::commit_on_devices(chain_description chain) {
  if (!transport_of(ctx).devices().takes_memory)
    throw usage_error(text("rank ", ctx.rank(), ": a put chain from or to a device's memory on ",
                           ctx.transport(), ", whose time is computed: give memory of the host"));
  device_engine::part mine;
  together(ctx, [&] { mine.owner = device_owner(); });
  const std::span<std::byte> on_device =
      target.on_device() ? target.local() : std::span<std::byte>();
  mine.links = link_devices(ctx, chain, on_device, mine.owner);
  const auto refused = why_no_addresses(chain);
  if (!refused) return commit_by_address(chain, mine.owner);
  mine.why_no_address = *refused;
  make_plan(chain);
  const device_route route(chain, common_block(ctx));
  mine.sources = sources;
  together(ctx, [&] { mine.packings = choose_packings(sources, mine.owner); });
  seen.assign(origins.size(), 0);
  find_ghosts();
  if (all_want_streams(ctx, wants_stream)) {
    stream_link link = link_streams(ctx, route, mine.links, mine.owner);
    if (link.problem.empty()) return commit_on_streams(std::move(mine), std::move(link));
    mine.why_host = link.problem;
  }
  mine.homes = homes;
  mine.destination = landing ? landing : target.shared()->memory;
  mine.bank_stride = plan.bank_stride[static_cast<std::size_t>(ctx.rank())];
  auto made = device_engine::make(ctx, route, std::move(mine));
  memory = made->name();
  take_on(std::move(made));
}

void put_chain::state::commit_on_streams(device_engine::part from, stream_link link) {
  stream_engine::part mine;
  // The plan has where they would land in memory of the host.
  std::vector<std::size_t> offsets;
  for (const chain_entry& entry : entries)
    if (entry.what == chain_entry::kind::put) offsets.push_back(entry.offset);
  for (std::size_t put = 0; put < sources.size(); ++put) {
    mine.targets.push_back(plan.puts[put].target);
    mine.windows.push_back(from.links[static_cast<std::size_t>(plan.puts[put].target)].window +
                           offsets[put]);
  }
  mine.opened = std::move(from.links);
  mine.sources = std::move(from.sources);
  mine.packings = std::move(from.packings);
  mine.origins = origins;
  mine.owner = from.owner;
  mine.link = std::move(link);
  memory = target.shared()->memory;
  std::unique_ptr<stream_engine> made;
  together(ctx, [&] { made = std::make_unique<stream_engine>(ctx, std::move(mine)); });
  take_on(std::move(made));
}

void put_chain::state::take_on(std::unique_ptr<device_runner> made) {
  devices = made.get();
  runner = std::move(made);
  owner = this_caller();
  find_packings();
}

void put_chain::state::await_stream() {
  const trace_span span(ctx.trace(), "synchronise", exchange);
  try {
    wait_until(
        ctx, [&] { return devices->passed(); },
        [&] {
          wait_report wait{
              text("for the stream of its device in exchange ", exchange, " of a put chain"), {}};
          for (const auto& [rank, what] : devices->keeping()) wait.missing.push_back({rank, what});
          return wait;
        });
  } catch (...) {
    devices->let_go();
    throw;
  }
}

void put_chain::state::follow_stream() {
  if (!devices->on_device()) return;
  if (!stream)
    throw usage_error(text("rank ", ctx.rank(),
                           ": start of a put chain from or to a device's memory without a stream: "
                           "name the stream that uses this memory with set_stream"));
  devices->follow(*stream);
}

}  // namespace onehop
