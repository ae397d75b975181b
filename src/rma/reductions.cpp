#include <cstdint>
#include <onehop/collectives.hpp>

#include "machine/copy_bytes.hpp"
#include "rma/block_exchange.hpp"
#include "rma/block_round.hpp"
#include "rma/combining.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

void reduce(const context& ctx, std::span<std::byte> values, const combiner& combine, int root) {
  require_root(ctx, root, "reduce to");
  require_values(ctx, combine, values.size());
  if (run_mirrored(ctx, {changed_part(values)},
                   [&](const device_mirror& on) { reduce(ctx, on.host(0), combine, root); }))
    return;
  const std::uint64_t tag = make_tag(operation::reduce, combine, values.size(), root);
  if (values.empty()) return rounds::meet(ctx, tag);
  combine_rounds(ctx, tag, values, combine, ctx.size() - 1);
}

namespace {

template <class Combine>
void reduce_scatter_blocks(const context& ctx, block_exchange& via, std::span<const std::byte> all,
                           std::span<std::byte> mine, const Combine& combine) {
  const std::size_t most = whole_values(via.most(), combine);
  for (std::size_t done = 0; done < mine.size(); done += most) {
    const std::span<std::byte> own = mine.subspan(done, std::min(most, mine.size() - done));
    const auto piece = [&](int rank) {
      return all.subspan(static_cast<std::size_t>(rank) * mine.size() + done, own.size());
    };
    for_each_other(ctx, [&](int rank) { via.send(rank, piece(rank)); });
    via.carry();
    combine_arrivals(ctx, via, piece(ctx.rank()), own, combine);
  }
}

void scan_up_to(const context& ctx, std::span<std::byte> values, const combiner& combine,
                int last) {
  require_values(ctx, combine, values.size());
  if (run_mirrored(ctx, {changed_part(values)},
                   [&](const device_mirror& on) { scan_up_to(ctx, on.host(0), combine, last); }))
    return;
  const std::uint64_t tag = make_tag(operation::scan, combine, values.size());
  if (values.empty()) return rounds::meet(ctx, tag);
  combine_rounds(ctx, tag, values, combine, last);
}

}  // namespace

void reduce_scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
                    const combiner& combine) {
  require_space(ctx, "reduce_scatter", mine.size(), all.size());
  require_values(ctx, combine, mine.size());
  if (run_mirrored(ctx, {read_part(all), written_part(mine)}, [&](const device_mirror& on) {
        reduce_scatter(ctx, on.host(0), on.host(1), combine);
      }))
    return;
  const std::uint64_t tag = make_tag(operation::reduce_scatter, combine, all.size());
  if (mine.empty()) return rounds::meet(ctx, tag);
  if (all.size() <= bootstrap_of(ctx).round_bytes()) {
    const std::size_t place = static_cast<std::size_t>(ctx.rank()) * mine.size();
    move_bytes(mine.data(), all.data() + place, mine.size());
    return combine_round(ctx, tag, mine, combine, all, place, ctx.size() - 1);
  }
  in_blocks(ctx, tag, [&](block_exchange& via) {
    are_doubles_to_add(combine) ? reduce_scatter_blocks(ctx, via, all, mine, double_sum())
                                : reduce_scatter_blocks(ctx, via, all, mine, combine);
  });
}

void scan(const context& ctx, std::span<std::byte> values, const combiner& combine) {
  scan_up_to(ctx, values, combine, ctx.rank());
}

void exclusive_scan(const context& ctx, std::span<std::byte> values, const combiner& combine) {
  scan_up_to(ctx, values, combine, ctx.rank() - 1);
}

}  // namespace onehop
