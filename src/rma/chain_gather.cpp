#include "rma/chain_gather.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <onehop/error.hpp>
#include <set>

#include "base/text.hpp"
#include "rma/gather.hpp"
#include "rma/rounds.hpp"

namespace onehop {
namespace {

/// A chain_head is what every rank receives from every other rank. Its size therefore limits the
/// number of ranks.
struct chain_head {
  std::uint32_t window;
  std::uint32_t list;  ///< number of entries, and a bit that is set if all lists are wanted

  static constexpr std::uint32_t all_wanted = std::uint32_t{1} << 31;
  std::size_t entries() const noexcept { return list & ~all_wanted; }
  bool wants_all() const noexcept { return (list & all_wanted) != 0; }
};
static_assert(sizeof(chain_head) == 8);

/// A heads_of_all holds what this rank learns from all heads, and the lengths of its partners'
/// lists.
struct heads_of_all {
  std::size_t longest = 0;
  bool all_are_wanted = false;
  std::map<int, std::size_t> lengths;
};

std::set<int> partners_of(const std::vector<chain_entry>& entries, int rank) {
  std::set<int> partners;
  for (const chain_entry& entry : entries) partners.insert(static_cast<int>(entry.peer));
  partners.erase(rank);
  return partners;
}

chain_head read_head(const std::byte* said) {
  chain_head read;
  std::memcpy(&read, said, sizeof read);
  return read;
}

[[noreturn]] void refuse_window(memory_id first, int rank, memory_id other) {
  throw chain_error(text("rank 0 commits a put chain on window ", first, ", rank ", rank,
                         " on window ", other, ": give the same window on all ranks"));
}

heads_of_all hear_heads(const context& ctx, const chain_head& mine, const std::set<int>& partners) {
  const std::uint64_t tag = make_tag(operation::commit, sizeof mine);
  heads_of_all found;
  // All heads are compared with that of rank 0. Until it is read, this rank's own stands in for it.
  memory_id first = mine.window;
  int other_rank = ctx.size();
  memory_id other = first;
  rounds::round(ctx, tag, std::as_bytes(std::span(&mine, 1)), [&](int rank, const std::byte* said) {
    const chain_head theirs = read_head(said);
    found.longest = std::max(found.longest, theirs.entries());
    found.all_are_wanted |= theirs.wants_all();
    if (rank == 0) first = theirs.window;
    if (theirs.window == first || rank >= other_rank) return;
    other_rank = rank;
    other = theirs.window;
  });
  if (mine.window != first && ctx.rank() < other_rank)
    refuse_window(first, ctx.rank(), mine.window);
  if (other_rank < ctx.size()) refuse_window(first, other_rank, other);
  for (const int rank : partners)
    found.lengths[rank] = read_head(rounds::hear(ctx, tag, rank)).entries();
  return found;
}

/// Every rank posts its list, but reads only the lists of its partners.
void hear_partners(const context& ctx, const std::vector<chain_entry>& mine,
                   const heads_of_all& heads, chain_description& chain) {
  std::vector<chain_entry> padded(mine);
  padded.resize(heads.longest);
  for (const auto& [rank, length] : heads.lengths) chain.ranks[rank].resize(length);
  const auto bytes = std::as_bytes(std::span(padded));
  const std::uint64_t tag = make_tag(operation::commit, bytes.size());
  const std::size_t most = bootstrap_of(ctx).piece_bytes();
  for (std::size_t done = 0; done < bytes.size(); done += most) {
    const auto piece = bytes.subspan(done, std::min(most, bytes.size() - done));
    rounds::round(ctx, tag, piece, [](int, const std::byte*) {});
    for (const auto& [rank, length] : heads.lengths) {
      const auto list = std::as_writable_bytes(std::span(chain.ranks[rank]));
      if (list.size() <= done) continue;
      std::memcpy(&list[done], rounds::hear(ctx, tag, rank),
                  std::min(piece.size(), list.size() - done));
    }
  }
}

}  // namespace

chain_description gather_chain(const context& ctx, const window::state& into,
                               const std::vector<chain_entry>& entries,
                               const std::vector<std::uint64_t>& starts) {
  const bool gaps_or_devices = std::ranges::any_of(
      entries, [](const chain_entry& e) { return e.on_device != 0 || e.remote.run_bytes != 0; });
  chain_head mine{into.memory->id(), static_cast<std::uint32_t>(entries.size())};
  if (into.registered || gaps_or_devices) mine.list |= chain_head::all_wanted;
  const heads_of_all heads = hear_heads(ctx, mine, partners_of(entries, ctx.rank()));
  chain_description chain{{}, into.bytes, into.banks, into.on_device, into.registered};
  if (into.on_device.size() == 0) chain.window_on_device = {into.bytes.size(), 0};
  if (heads.all_are_wanted) {
    int rank = 0;
    for (std::vector<chain_entry>& list : gather_lists(ctx, entries))
      chain.ranks.emplace(rank++, std::move(list));
    if (has_starts(chain)) chain.starts = gather_lists(ctx, starts);
    return chain;
  }
  chain.seen_by = ctx.rank();
  hear_partners(ctx, entries, heads, chain);
  chain.ranks[ctx.rank()] = entries;
  return chain;
}

}  // namespace onehop
