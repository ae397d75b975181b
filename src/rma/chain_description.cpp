#include "rma/chain_description.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <onehop/error.hpp>
#include <span>

#include "base/text.hpp"

namespace onehop {
namespace {

constexpr auto most_bytes = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());

/// Widens the extent by the last step of one loop; returns false where no memory reaches so far.
bool widen(byte_extent& extent, std::size_t count, std::ptrdiff_t stride) {
  std::ptrdiff_t reach = 0;
  if (__builtin_mul_overflow(count - 1, stride, &reach)) return false;
  std::ptrdiff_t& side = reach < 0 ? extent.begin : extent.end;
  return !__builtin_add_overflow(side, reach, &side);
}

/// Returns true if each loop steps over everything that the loops inside it cover.
bool loops_are_nested(const strided_layout& runs) {
  std::array<std::size_t, 3> order{0, 1, 2};
  const auto stride = [&](std::size_t loop) { return std::abs(runs.strides_bytes[loop]); };
  std::ranges::sort(order, {}, stride);
  auto covered = static_cast<std::ptrdiff_t>(runs.run_bytes);
  for (const std::size_t loop : order) {
    if (runs.counts[loop] == 1) continue;
    if (stride(loop) < covered) return false;
    covered += static_cast<std::ptrdiff_t>(runs.counts[loop] - 1) * stride(loop);
  }
  return true;
}

/// Returns the layout of a put, with its part of its rank's starts; null if its bytes have no gaps.
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

strided_layout strided_layout::subarray(std::size_t item_bytes,
                                        std::span<const std::size_t> extents,
                                        std::span<const std::size_t> counts) {
  if (extents.size() != counts.size() || extents.empty() || extents.size() > 4)
    throw usage_error(text("subarray of ", counts.size(), " dimensions in an array of ",
                           extents.size(), ": give both as many, from one to four"));
  for (std::size_t mu = 0; mu < extents.size(); ++mu)
    if (counts[mu] == 0 || counts[mu] > extents[mu])
      throw usage_error(text("subarray of ", counts[mu], " items in dimension ", mu,
                             " of an array that has ", extents[mu], ": give from one to as many"));
  strided_layout result{item_bytes * counts.back(), {1, 1, 1}, {}};
  std::size_t row_bytes = item_bytes * extents.back();
  std::size_t loop = 0;
  for (std::size_t mu = extents.size() - 1; mu-- > 0; row_bytes *= extents[mu]) {
    // If whole rows follow each other without a gap, they become one longer run.
    if (loop == 0 && result.run_bytes == row_bytes) {
      result.run_bytes *= counts[mu];
      continue;
    }
    result.counts[loop] = counts[mu];
    result.strides_bytes[loop++] = static_cast<std::ptrdiff_t>(row_bytes);
  }
  return result;
}

std::optional<byte_extent> arrival_layout::extent() const {
  if (runs.run_bytes > most_bytes) return std::nullopt;
  byte_extent all{0, static_cast<std::ptrdiff_t>(runs.run_bytes)};
  if (!starts.empty()) {
    const auto [first, last] = std::ranges::minmax(starts);
    if (last > most_bytes - runs.run_bytes) return std::nullopt;
    return byte_extent{static_cast<std::ptrdiff_t>(first),
                       static_cast<std::ptrdiff_t>(last + runs.run_bytes)};
  }
  for (std::size_t loop = 0; loop < 3; ++loop)
    if (!widen(all, runs.counts[loop], runs.strides_bytes[loop])) return std::nullopt;
  return all;
}

bool arrival_layout::runs_are_apart() const {
  if (starts.empty() && loops_are_nested(runs)) return true;
  std::vector<std::ptrdiff_t> begins;
  begins.reserve(count());
  for_each_run([&](std::ptrdiff_t offset) { begins.push_back(offset); });
  std::ranges::sort(begins);
  const auto run = static_cast<std::ptrdiff_t>(runs.run_bytes);
  return std::ranges::adjacent_find(begins, [run](std::ptrdiff_t before, std::ptrdiff_t after) {
           return after - before < run;
         }) == begins.end();
}

void arrival_layout::spread(const std::byte* from, std::byte* home) const {
  with_copy_of(runs.run_bytes, [&](const auto& copy) {
    for_each_run([&](std::ptrdiff_t offset) {
      copy(home + offset, from);
      from += runs.run_bytes;
    });
  });
}

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
