#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/mirrored.hpp"
#include "rma/sparse_router.hpp"

namespace onehop {
namespace {

/// A traveller is a block on its way. Its bytes lie at the caller, or where they last arrived.
struct traveller {
  std::int32_t origin, target;
  std::span<const std::byte> bytes;
};

/// A head precedes the bytes of a block; no padding to 8 bytes follows them.
struct head {
  std::int32_t origin, target;
  std::uint64_t bytes;
};

std::size_t whole_words(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

void append(std::vector<std::byte>& to, const traveller& one) {
  const head said{one.origin, one.target, one.bytes.size()};
  const std::size_t at = to.size();
  to.resize(at + sizeof said + whole_words(one.bytes.size()));
  std::memcpy(&to[at], &said, sizeof said);
  if (!one.bytes.empty()) std::memcpy(&to[at + sizeof said], one.bytes.data(), one.bytes.size());
}

void read_all(std::span<const std::byte> from, std::vector<traveller>& into) {
  while (!from.empty()) {
    head said;
    std::memcpy(&said, from.data(), sizeof said);
    into.push_back({said.origin, said.target, from.subspan(sizeof said, said.bytes)});
    from = from.subspan(sizeof said + whole_words(said.bytes));
  }
}

void require_destinations(const context& ctx, std::span<const int> destinations,
                          std::size_t blocks) {
  if (destinations.size() != blocks)
    throw usage_error(text("rank ", ctx.rank(), ": a sparse_exchange of ", counted(blocks, "block"),
                           " to ", destinations.size(), " destinations: give one for each"));
  for (const int rank : destinations)
    if (rank < 0 || rank >= ctx.size())
      throw usage_error(text("rank ", ctx.rank(), ": a sparse_exchange to rank ", rank,
                             ", the job has ", ctx.size(), ": give one from 0 to ",
                             ctx.size() - 1));
}

}  // namespace

void sparse_exchange(const context& ctx, std::span<const int> destinations,
                     std::span<const std::span<const std::byte>> blocks,
                     const receive_block& take) {
  require_destinations(ctx, destinations, blocks.size());
  const host_blocks sent(ctx, blocks);
  std::vector<traveller> here;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    here.push_back({ctx.rank(), destinations[i], sent.blocks()[i]});
  sparse_router& via = router_of(ctx);
  std::deque<std::vector<std::byte>> came;
  for (std::size_t hop = 0; hop < via.hops(); ++hop) {
    const auto goes = [&](const traveller& one) {
      const int left = (one.target - ctx.rank() + ctx.size()) % ctx.size();
      return (left & sparse_router::distance(hop)) != 0;
    };
    std::vector<std::byte> leaving;
    for (const traveller& one : here)
      if (goes(one)) append(leaving, one);
    std::erase_if(here, goes);
    read_all(came.emplace_back(via.pass(ctx, hop, leaving)), here);
  }
  // Blocks from one rank to another take the same route and keep their order.
  std::ranges::stable_sort(here, {}, &traveller::origin);
  for (const traveller& one : here) take(one.origin, one.bytes);
}

}  // namespace onehop
