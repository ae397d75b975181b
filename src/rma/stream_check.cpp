#include "rma/stream_check.hpp"

#include <algorithm>
#include <cstdint>
#include <onehop/error.hpp>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "rma/gather.hpp"
#include "rma/stream_block.hpp"

namespace onehop {
namespace {

void require_ranks(const context& ctx, std::string_view role, std::span<const int> ranks) {
  if (ranks.empty())
    throw usage_error(text("a stream without ", role, "s: name at least one rank"));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= ctx.size())
      throw usage_error(text("a stream names rank ", ranks[i], " as ", role,
                             ": give one from 0 to ", ctx.size() - 1));
    if (std::ranges::find(ranks.first(i), ranks[i]) != ranks.first(i).end())
      throw usage_error(text("a stream names rank ", ranks[i], " as ", role, " twice"));
  }
}

void require_sizes(const stream_options& how) {
  constexpr std::size_t most = std::size_t{1} << 31;
  if (how.largest_item > most || how.block_bytes > most)
    throw usage_error(text("a stream with items of ", how.largest_item, " bytes in blocks of ",
                           how.block_bytes, ": give at most ", most));
  if (how.blocks < 2)
    throw usage_error(text("a stream with ", counted(how.blocks, "block"),
                           ": give at least 2, one to write while one is read"));
  const std::size_t least = stream_block_for(how.largest_item);
  if (how.block_bytes != 0 && how.block_bytes < least)
    throw usage_error(text("a stream of items up to ", how.largest_item, " bytes in blocks of ",
                           how.block_bytes, ": give blocks of at least ", least));
}

/// Returns all values that must be the same on all ranks as one list.
std::vector<std::uint64_t> as_list(std::span<const int> producers, std::span<const int> consumers,
                                   const stream_options& how) {
  std::vector<std::uint64_t> list{how.largest_item, how.block_bytes,
                                  static_cast<std::uint64_t>(how.blocks), producers.size()};
  for (const std::span<const int> ranks : {producers, consumers})
    for (const int rank : ranks) list.push_back(static_cast<std::uint64_t>(rank));
  return list;
}

void require_alike(const context& ctx, const std::vector<std::uint64_t>& mine) {
  const auto all = gather_lists(ctx, mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw usage_error(text("ranks 0 and ", rank,
                             " make a stream of different producers, consumers or options: give "
                             "the same on every rank"));
}

}  // namespace

void check_stream(const context& ctx, std::span<const int> producers,
                  std::span<const int> consumers, const stream_options& how) {
  require_alike(ctx, as_list(producers, consumers, how));
  require_ranks(ctx, "producer", producers);
  require_ranks(ctx, "consumer", consumers);
  require_sizes(how);
}

}  // namespace onehop
