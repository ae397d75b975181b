#include "transport/device/transport.hpp"

#include <algorithm>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <optional>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "device/driver/location.hpp"
#include "device/driver/peer_memory.hpp"
#include "rma/copy_view.hpp"
#include "transport/device/address_endpoint.hpp"
#include "transport/device/mirror.hpp"
#include "transport/device/row_packing.hpp"
#include "transport/device/staged_endpoint.hpp"
#include "transport/device/stream_endpoint.hpp"
#include "transport/device/worker.hpp"

namespace onehop {
namespace {

/// All ranks must cut puts into blocks of the same size; otherwise the pieces would not match.
std::size_t common_block(const context& ctx) {
  std::size_t mine = 0;
  together(ctx, [&] { mine = environment::read().device_block; });
  const std::string value = text(mine);
  agree(ctx, "ONEHOP_DEVICE_BLOCK of", {&value, 1});
  return mine;
}

/// Returns whether streams are to wait for the chain. Either all ranks must want this, or none.
bool all_want_streams(const context& ctx, bool mine) {
  const std::vector<std::uint8_t> all = allgather(ctx, static_cast<std::uint8_t>(mine));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw chain_error(
          text("rank ", all[0] != 0 ? 0 : rank, " commits a put chain with wait_on_stream, rank ",
               all[0] != 0 ? rank : 0, " without: ask for it on all ranks or on none"));
  return mine;
}

/// Returns whether any put must go through the host because no device writes its target directly.
bool some_are_staged(const chain_description& chain) {
  const auto staged = [&](const chain_entry& entry) {
    const bool to_device = chain.window_on_device[static_cast<std::size_t>(entry.peer)] != 0;
    return entry.what == chain_entry::kind::put && (entry.on_device != 0 || to_device) &&
           entry.by_peer == 0;
  };
  return std::ranges::any_of(
      chain.ranks, [&](const auto& list) { return std::ranges::any_of(list.second, staged); });
}

std::vector<row_packing> choose_packings(const std::vector<local_view>& sources,
                                         device::driver::context owner) {
  std::vector<row_packing> chosen;
  for (const local_view& source : sources)
    chosen.push_back(device::location_of(source.data) ? choose_packing(source, owner)
                                                      : row_packing());
  return chosen;
}

/// A common_owner finds the one context of all memory of devices that is added to it; null while
/// there is none.
struct common_owner {
  const context& ctx;
  const char* what;  ///< what has the memory, and whose memory should be of one device
  device::driver::context found = nullptr;

  /// Returns whether this is memory of a device.
  bool add(const std::byte* data) {
    const auto where = device::location_of(data);
    if (!where) return false;
    if (found != nullptr && where->owner != found)
      throw usage_error(text("rank ", ctx.rank(), ": ", what));
    found = where->owner;
    return true;
  }
};

device::driver::context owner_of(const device_request& what) {
  common_owner owner{what.ctx,
                     "a put chain with memory of two devices, or of two contexts of one: give the "
                     "window and the sources of a rank memory of one device"};
  for (const local_view& source : what.sources) owner.add(source.data);
  if (what.window_on_device) owner.add(what.window.data());
  return owner.found;
}

/// An owned_parts object holds parts of a collective's memory, and the context of those on a
/// device.
struct owned_parts {
  device::driver::context owner;
  std::vector<bool> on_device;
};

owned_parts owner_of(const context& ctx, const std::vector<mirrored_part>& parts) {
  common_owner owner{ctx,
                     "a collective on memory of two devices, or of two contexts of one: give a "
                     "rank's memory of one device"};
  std::vector<bool> on_device;
  for (const mirrored_part& part : parts) {
    on_device.push_back(part.bytes > 0 && owner.add(part.data));
    if (part.bytes > 0 && !on_device.back() && device::is_managed(part.data))
      throw usage_error(text("rank ", ctx.rank(),
                             ": a collective on managed memory, which counts as the host's and "
                             "follows no stream: give memory of a device, or wait for the stream "
                             "and leave set_collective_stream out"));
  }
  return {owner.found, std::move(on_device)};
}

/// Throws usage_error if the transport takes no memory of devices.
void require_real_time(const context& ctx, const char* what) {
  if (!transport_of(ctx).devices().takes_memory)
    throw usage_error(text("rank ", ctx.rank(), ": ", what, " a device's memory on ",
                           ctx.transport(), ", whose time is computed: give memory of the host"));
}

/// Returns why the transport is not given addresses of devices' memory, or nothing if it is given
/// them. Collective.
std::optional<std::string> why_no_addresses(const device_request& what,
                                            const chain_description& chain) {
  if (!some_are_staged(chain)) return std::string();
  device_support mine = transport_of(what.ctx).devices();
  if (mine.takes_addresses && environment::read().device_channel == "staged")
    mine = {true, false, "ONEHOP_DEVICE_CHANNEL is staged"};
  const bool apart = std::ranges::any_of(what.sources, [](const local_view& source) {
    return device::location_of(source.data) && !is_contiguous(source);
  });
  if (mine.takes_addresses && apart) mine = {true, false, "rows of a source lie apart"};
  const std::vector<std::uint8_t> all =
      allgather(what.ctx, static_cast<std::uint8_t>(mine.takes_addresses));
  if (std::ranges::all_of(all, [](std::uint8_t taken) { return taken != 0; })) return std::nullopt;
  return mine.takes_addresses ? "another rank has reasons against it" : mine.why;
}

class commit final : public device_commit {
 public:
  commit(const device_request& what, chain_description& chain, device::peer_cache& peers)
      : what_(what), chain_(chain), peers_(peers) {
    const context& ctx = what.ctx;
    require_real_time(ctx, "a put chain from or to");
    together(ctx, [&] { owner_ = owner_of(what); });
    const auto window = what.window_on_device ? what.window : std::span<std::byte>();
    links_ = link_windows(ctx, chain, window, owner_, peers);
    why_no_address_ = why_no_addresses(what, chain);
  }

  bool by_address() const noexcept override { return !why_no_address_; }
  device_carrier finish(const device_plan& planned) override {
    const bool on_streams = all_want_streams(what_.ctx, what_.wants_stream);
    return by_address() ? make_by_address(planned, on_streams)
                        : make_by_host_or_streams(planned, on_streams);
  }

 private:
  device_carrier make_by_address(const device_plan& planned, bool on_streams) {
    const context& ctx = what_.ctx;
    address_endpoint::part mine;
    mine.owner = owner_;
    mine.why = transport_of(ctx).devices().why;
    if (on_streams) mine.why_host = "the transport, which knows no streams, is given addresses";
    mine.window =
        chain_.registered ? exposed_memory::expose_existing(ctx, what_.window) : what_.exposed;
    mine.own = exposed_memory::expose(ctx, transport_of(ctx).endpoint_bytes(planned.plan));
    for (std::size_t put = 0; put < what_.sources.size(); ++put) {
      const bool from = device::location_of(what_.sources[put].data).has_value();
      const auto target = static_cast<std::size_t>(planned.plan.puts[put].target);
      const bool to = chain_.window_on_device[target] != 0;
      mine.ends.emplace_back(from && to ? "from a device's memory to a device's memory"
                             : from     ? "from a device's memory"
                             : to       ? "to a device's memory"
                                        : "");
    }
    std::shared_ptr<exposed_memory> name = mine.own;
    std::unique_ptr<address_endpoint> made;
    together(ctx, [&] {
      mine.runner = transport_of(ctx).make_endpoint(planned.plan, mine.window->id(), name->id());
      made = std::make_unique<address_endpoint>(ctx, std::move(mine));
    });
    return {std::move(made), std::move(name)};
  }

  device_carrier make_by_host_or_streams(const device_plan& planned, bool on_streams) {
    const context& ctx = what_.ctx;
    const staged_route route(chain_, common_block(ctx));
    staged_endpoint::part mine;
    mine.owner = owner_;
    mine.why_no_address = *why_no_address_;
    mine.sources = what_.sources;
    together(ctx, [&] { mine.packings = choose_packings(what_.sources, owner_); });
    if (on_streams) {
      stream_link link = link_streams(ctx, route, links_, owner_, peers_);
      if (link.problem.empty())
        return make_by_streams(planned, std::move(mine.packings), std::move(link));
      mine.why_host = link.problem;
    }
    mine.links = std::move(links_);
    mine.homes = planned.homes;
    mine.destination = planned.destination;
    mine.bank_stride = planned.plan.own_stride;
    mine.sizes = planned.plan.sizes;
    auto made = staged_endpoint::make(ctx, route, std::move(mine));
    std::shared_ptr<exposed_memory> name = made->name();
    return {std::move(made), std::move(name)};
  }

  device_carrier make_by_streams(const device_plan& planned, std::vector<row_packing> packings,
                                 stream_link link) {
    const context& ctx = what_.ctx;
    stream_endpoint::part mine;
    // The plan holds the offsets at which the puts would land in memory of the host.
    std::vector<std::size_t> offsets;
    for (const chain_entry& entry : chain_.ranks.at(ctx.rank()))
      if (entry.what == chain_entry::kind::put) offsets.push_back(entry.offset);
    for (std::size_t put = 0; put < what_.sources.size(); ++put) {
      const int target = planned.plan.puts[put].target;
      mine.targets.push_back(target);
      mine.windows.push_back(links_[static_cast<std::size_t>(target)].window + offsets[put]);
    }
    mine.opened = std::move(links_);
    mine.sources = what_.sources;
    mine.packings = std::move(packings);
    mine.origins = what_.origins;
    mine.owner = owner_;
    mine.link = std::move(link);
    std::unique_ptr<stream_endpoint> made;
    together(ctx, [&] { made = std::make_unique<stream_endpoint>(ctx, std::move(mine)); });
    return {std::move(made), what_.exposed};
  }

  const device_request& what_;
  const chain_description& chain_;
  device::peer_cache& peers_;
  device::driver::context owner_ = nullptr;  ///< null where this rank has no memory of a device
  std::vector<ipc_link> links_;
  std::optional<std::string> why_no_address_;
};

class channels final : public device_channels {
 public:
  bool holds(const std::byte* data) const override { return device::location_of(data).has_value(); }
  bool is_managed(const std::byte* data) const override { return device::is_managed(data); }
  std::unique_ptr<device_commit> begin(const device_request& what,
                                       chain_description& chain) override {
    return std::make_unique<commit>(what, chain, peers_);
  }
  std::unique_ptr<device_mirror> mirror(const context& ctx,
                                        std::vector<mirrored_part> parts) override {
    const owned_parts found = owner_of(ctx, parts);
    if (found.owner == nullptr) return nullptr;
    require_real_time(ctx, "a collective on");
    return make_mirror(mirrors_, found.owner, parts, found.on_device);
  }
  found_worker find_worker(const context& ctx, const std::vector<mirrored_part>& parts,
                           const combiner* combine) override {
    const owned_parts found = owner_of(ctx, parts);
    if (found.owner == nullptr || !transport_of(ctx).devices().takes_memory) return {};
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (parts[part].bytes > 0 && !found.on_device[part])
        return {nullptr, "a part of its memory is the host's"};
    return make_worker(found.owner, peers_, parts, combine);
  }

 private:
  std::shared_ptr<mirror_pool> mirrors_ = std::make_shared<mirror_pool>();
  device::peer_cache peers_;  ///< memory of other processes' devices that this rank has opened
};

}  // namespace

std::shared_ptr<device_channels> make_device_channels() { return std::make_shared<channels>(); }

}  // namespace onehop
