#include "rma/chain_description.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"

namespace onehop {
namespace {

/// The layout of a put with its share of its rank's starts; null where its bytes have no gaps.
std::shared_ptr<const arrival_layout> layout_of(const chain_entry& put,
                                                std::span<const std::uint64_t> starts) {
  if (put.remote.run_bytes == 0) return nullptr;
  return std::make_shared<arrival_layout>(
      arrival_layout{put.remote, {starts.begin(), starts.end()}});
}

template <class Is>
bool any_entry(const chain_description& chain, const Is& is) {
  return std::ranges::any_of(
      chain.ranks, [&](const auto& list) { return std::ranges::any_of(list.second, is); });
}

}  // namespace

std::string describe_put(const chain_edge& put) {
  const std::string runs = put.layout == nullptr ? std::string()
                                                 : text(" in ", put.layout->count(), " runs of ",
                                                        put.layout->runs.run_bytes);
  return text("rank ", put.origin, " puts ", put.variable ? "up to " : "", put.bytes, " bytes",
              runs, " at offset ", put.offset, " of rank ", put.target);
}

std::vector<chain_edge> puts_of(const chain_description& chain) {
  std::vector<chain_edge> edges;
  for (const auto& [rank, entries] : chain.ranks) {
    int put = 0;
    std::size_t first = 0;
    for (const chain_entry& entry : entries) {
      if (entry.what != chain_entry::kind::put) continue;
      std::span<const std::uint64_t> starts;
      if (entry.starts > 0)
        starts =
            std::span(chain.starts[static_cast<std::size_t>(rank)]).subspan(first, entry.starts);
      first += entry.starts;
      const int number = put++;
      if (!chain.counts(rank, static_cast<int>(entry.peer))) continue;
      edges.push_back({rank, static_cast<int>(entry.peer), number, -1, entry.offset, entry.bytes,
                       entry.variable != 0, layout_of(entry, starts)});
    }
  }
  return edges;
}

bool touches_devices(const chain_description& chain) {
  for (std::size_t rank = 0; rank < chain.window_on_device.size(); ++rank)
    if (chain.window_on_device[rank] != 0) return true;
  return any_entry(chain, [](const chain_entry& e) { return e.on_device != 0; });
}

bool lands(const chain_description& chain) {
  return chain.registered ||
         any_entry(chain, [](const chain_entry& e) { return e.remote.run_bytes != 0; });
}

bool has_starts(const chain_description& chain) {
  return any_entry(chain, [](const chain_entry& e) { return e.starts != 0; });
}

}  // namespace onehop
