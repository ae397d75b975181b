#include "transport/device/ipc_link.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "device/driver/host_memory.hpp"
#include "device/driver/queue.hpp"
#include "machine/process.hpp"
#include "rma/gather.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

/// A token is what one rank writes into another's slate to test whether its writes arrive there.
struct token {
  std::uint64_t origin, target, address;

  bool operator==(const token&) const = default;
};

/// An offer tells other ranks how to find a rank's window and slate.
struct offer {
  boot_identity boot{};
  std::int64_t process = 0;
  std::uint64_t process_namespace = 0;
  std::uint64_t owner = 0;              ///< the context of both, in that process
  std::uint64_t window = 0, slate = 0;  ///< addresses in that process; 0 where there is none
  device::shared_name window_name{}, slate_name{};
  std::array<char, 160> problem{};  ///< why other processes cannot have them
};

bool by_host_only() { return environment::read().device_channel == "staged"; }

class linker {
 public:
  linker(const context& ctx, device::driver::context owner, std::span<std::byte> window,
         device::peer_cache& peers)
      : ctx_(ctx), owner_(owner), peers_(peers) {
    const auto ranks = static_cast<std::size_t>(ctx.size());
    offer mine = here();
    try {
      if (!window.empty()) fill_in(mine, window, ranks);
    } catch (const error& failure) {
      std::string_view(failure.what()).copy(mine.problem.data(), mine.problem.size() - 1);
    }
    offers_ = allgather(ctx, mine);
  }

  /// Opens the window of `target` and writes to its slate.
  ipc_link open(int target) const {
    ipc_link link;
    try {
      const offer& theirs = offers_[static_cast<std::size_t>(target)];
      require(by_host_only(), "ONEHOP_DEVICE_CHANNEL is staged");
      require(theirs.window == 0, theirs.problem.data());
      require(theirs.boot != here().boot, "it is on another machine");
      std::shared_ptr<device::peer_memory> slate;
      link.window = reach(theirs, theirs.window, theirs.window_name, link.opened);
      write_token(target, reach(theirs, theirs.slate, theirs.slate_name, slate));
    } catch (const error& failure) {
      link = {nullptr, nullptr, failure.what()};
    }
    return link;
  }

  /// Returns whether the token that `origin` wrote has arrived.
  bool heard(int origin) const {
    token found{};
    device::pinned_memory page(owner_, sizeof found);
    device::queue reading(owner_);
    reading.bring_out({slot(slate_->data(), origin), sizeof found, 0}, 0, sizeof found,
                      page.data());
    reading.finish();
    std::memcpy(&found, page.data(), sizeof found);
    return found == token_for(origin, ctx_.rank());
  }

 private:
  static void require(bool problem, const std::string& words) {
    if (problem) throw resource_error(words);
  }
  static std::byte* slot(std::byte* slate, int origin) {
    return slate + static_cast<std::size_t>(origin) * sizeof(token);
  }
  offer here() const {
    offer place;
    place.boot = this_boot();
    const process_identity process = this_process();
    place.process = process.number;
    place.process_namespace = process.name_space;
    return place;
  }
  token token_for(int origin, int target) const {
    return {static_cast<std::uint64_t>(origin) + 1, static_cast<std::uint64_t>(target) + 1,
            offers_[static_cast<std::size_t>(target)].window};
  }

  void fill_in(offer& mine, std::span<std::byte> window, std::size_t ranks) {
    require(by_host_only(), "ONEHOP_DEVICE_CHANNEL is staged there");
    slate_ = std::make_unique<device::device_memory>(owner_, ranks * sizeof(token));
    mine.owner = reinterpret_cast<std::uintptr_t>(owner_);
    mine.slate = reinterpret_cast<std::uintptr_t>(slate_->data());
    mine.window = reinterpret_cast<std::uintptr_t>(window.data());
    // Within one process and on one device, addresses are enough.
    mine.window_name = device::share(owner_, window.data());
    mine.slate_name = device::share(owner_, slate_->data());
  }

  std::byte* reach(const offer& theirs, std::uint64_t address, const device::shared_name& name,
                   std::shared_ptr<device::peer_memory>& opened) const {
    const offer mine = here();
    const auto there = reinterpret_cast<device::driver::context>(theirs.owner);
    const bool in_process =
        theirs.process == mine.process && theirs.process_namespace == mine.process_namespace;
    if (in_process && there == owner_) return reinterpret_cast<std::byte*>(address);
    // Memory of a pool cannot be shared, nor can another device reach it.
    require(theirs.problem[0] != '\0', theirs.problem.data());
    if (in_process) {
      device::reach_memory_of(there, owner_);
      return reinterpret_cast<std::byte*>(address);
    }
    opened = peers_.open(owner_, name.handle);
    return opened->data() + name.offset;
  }

  void write_token(int target, std::byte* slate) const {
    const token mine = token_for(ctx_.rank(), target);
    device::queue writing(owner_);
    // The token travels like a put, from this device's memory to the other's.
    const device::device_memory source(owner_, sizeof mine);
    writing.bring_in(source.data(), reinterpret_cast<const std::byte*>(&mine), sizeof mine);
    writing.copy({source.data(), sizeof mine, 0}, sizeof mine, slot(slate, ctx_.rank()));
    writing.finish();
  }

  const context& ctx_;
  device::driver::context owner_;
  device::peer_cache& peers_;
  std::unique_ptr<device::device_memory> slate_;
  std::vector<offer> offers_;
};

/// Returns for each target whether any put of `rank` to it goes from device to device.
std::vector<std::uint8_t> wanted_by(const chain_description& chain, int rank) {
  std::vector<std::uint8_t> wanted(chain.window_bytes.size());
  for (const chain_entry& entry : chain.ranks.at(rank))
    if (entry.what == chain_entry::kind::put && entry.on_device != 0)
      wanted[static_cast<std::size_t>(entry.peer)] =
          chain.window_on_device[static_cast<std::size_t>(entry.peer)];
  return wanted;
}

}  // namespace

std::vector<ipc_link> link_windows(const context& ctx, chain_description& chain,
                                   std::span<std::byte> window, device::driver::context owner,
                                   device::peer_cache& peers) {
  const auto ranks = static_cast<std::size_t>(ctx.size());
  std::vector<ipc_link> links(ranks);
  bool any = false;
  for (int rank = 0; rank < ctx.size(); ++rank)
    any |= std::ranges::count(wanted_by(chain, rank), 0) != static_cast<std::ptrdiff_t>(ranks);
  if (!any) return links;
  const linker devices(ctx, owner, window, peers);
  const std::vector<std::uint8_t> wanted = wanted_by(chain, ctx.rank());
  std::vector<std::uint8_t> opened(ranks), heard(ranks);
  for (std::size_t target = 0; target < ranks; ++target)
    if (wanted[target] != 0) {
      links[target] = devices.open(static_cast<int>(target));
      opened[target] = links[target].window != nullptr;
    }
  // Everything that the ranks wrote has arrived once this gather returns.
  const std::vector<std::vector<std::uint8_t>> who_opened = gather_lists(ctx, opened);
  together(ctx, [&] {
    for (std::size_t origin = 0; origin < ranks; ++origin)
      if (who_opened[origin][static_cast<std::size_t>(ctx.rank())] != 0)
        heard[origin] = devices.heard(static_cast<int>(origin));
  });
  const std::vector<std::vector<std::uint8_t>> who_heard = gather_lists(ctx, heard);
  for (auto& [origin, entries] : chain.ranks)
    for (chain_entry& entry : entries) {
      const auto target = static_cast<std::size_t>(entry.peer);
      if (entry.what == chain_entry::kind::put && entry.on_device != 0)
        entry.by_peer = chain.window_on_device[target] != 0 &&
                        who_heard[target][static_cast<std::size_t>(origin)] != 0;
    }
  for (std::size_t target = 0; target < ranks; ++target)
    if (opened[target] != 0 && who_heard[target][static_cast<std::size_t>(ctx.rank())] == 0)
      links[target] = {nullptr, nullptr, "what this device wrote to it did not arrive"};
  return links;
}

}  // namespace onehop
