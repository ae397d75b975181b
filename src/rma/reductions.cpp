#include <cstdint>
#include <cstring>
#include <onehop/collectives.hpp>

#include "rma/block_exchange.hpp"
#include "rma/block_round.hpp"
#include "rma/combining.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

void reduce(const context& ctx, std::span<std::byte> values, const combiner& combine, int root) {
  require_root(ctx, root, "reduce to");
  require_values(ctx, combine, values.size());
  combine_rounds(ctx, make_tag(operation::reduce, values.size(), root), values, combine,
                 ctx.size() - 1);
}

void reduce_scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
                    const combiner& combine) {
  require_space(ctx, "reduce_scatter", mine.size(), all.size());
  require_values(ctx, combine, mine.size());
  const std::uint64_t tag = make_tag(operation::reduce_scatter, all.size());
  const auto block = [&](int rank) {
    return all.subspan(static_cast<std::size_t>(rank) * mine.size(), mine.size());
  };
  if (mine.empty()) return;
  std::memmove(mine.data(), block(ctx.rank()).data(), mine.size());
  if (all.size() <= bootstrap_of(ctx).round_bytes())
    return combine_round(ctx, tag, mine, combine, all,
                         static_cast<std::size_t>(ctx.rank()) * mine.size(), ctx.size() - 1);
  in_blocks(ctx, tag, [&](block_exchange& via) {
    const std::size_t most = whole_values(via.most(), combine);
    for (std::size_t done = 0; done < mine.size(); done += most) {
      const std::span<std::byte> own = mine.subspan(done, std::min(most, mine.size() - done));
      for_each_other(ctx, [&](int rank) { via.send(rank, block(rank).subspan(done, own.size())); });
      via.carry();
      combine_arrivals(ctx, via, own, combine);
    }
  });
}

void scan(const context& ctx, std::span<std::byte> values, const combiner& combine) {
  require_values(ctx, combine, values.size());
  combine_rounds(ctx, make_tag(operation::scan, values.size()), values, combine, ctx.rank());
}

void exclusive_scan(const context& ctx, std::span<std::byte> values, const combiner& combine) {
  require_values(ctx, combine, values.size());
  combine_rounds(ctx, make_tag(operation::scan, values.size()), values, combine, ctx.rank() - 1);
}

}  // namespace onehop
