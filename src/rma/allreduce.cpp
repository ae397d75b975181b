#include <algorithm>
#include <cstdint>
#include <onehop/collectives.hpp>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/autotune.hpp"
#include "rma/block_exchange.hpp"
#include "rma/block_round.hpp"
#include "rma/combining.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

/// A long_allreduce combines values that are too long for a message of a round.
template <class Combine>
class long_allreduce {
 public:
  long_allreduce(const context& ctx, block_exchange& via, const Combine& combine)
      : ctx_(ctx), via_(via), combine_(combine) {}

  void run(std::span<std::byte> values) {
    // Up to this size, one exchange of all values is faster than two exchanges of a part each.
    constexpr std::size_t most_to_each = 8192;
    const std::size_t block = whole_values(via_.most(), combine_);
    const bool everywhere = ctx_.size() == 2 || values.size() <= std::min(most_to_each, block);
    const std::size_t most = everywhere ? block : block * static_cast<std::size_t>(ctx_.size());
    for (std::size_t done = 0; done < values.size(); done += most) {
      const auto piece = values.subspan(done, std::min(most, values.size() - done));
      everywhere ? combine_everywhere(piece) : combine_parts(piece);
    }
  }

 private:
  /// Sends all values to every other rank, and combines the values that arrive.
  void combine_everywhere(std::span<std::byte> values) {
    for_each_other(ctx_, [&](int rank) { via_.send(rank, values); });
    via_.carry();
    combine_arrivals(ctx_, via_, values, values, combine_);
  }
  /// Makes each rank combine one part of the values and send the result to all.
  void combine_parts(std::span<std::byte> values) {
    const std::size_t count = values_in(values.size(), combine_);
    const auto ranks = static_cast<std::size_t>(ctx_.size());
    const auto part = [&](int rank) {
      const auto index = static_cast<std::size_t>(rank);
      const std::size_t first = index * count / ranks, end = (index + 1) * count / ranks;
      return values.subspan(first * combine_.value_bytes, (end - first) * combine_.value_bytes);
    };
    for_each_other(ctx_, [&](int rank) { via_.send(rank, part(rank)); });
    via_.carry();
    const std::span<std::byte> own = part(ctx_.rank());
    combine_arrivals(ctx_, via_, own, own, combine_);
    for_each_other(ctx_, [&](int rank) { via_.send(rank, own); });
    via_.carry();
    for_each_other(ctx_, [&](int rank) {
      const std::span<const std::byte> theirs = via_.incoming(rank);
      if (!theirs.empty()) copy_bytes(part(rank).data(), theirs.data(), theirs.size());
    });
  }

  const context& ctx_;
  block_exchange& via_;
  const Combine& combine_;
};

/// Combines the values of all ranks on every rank.
template <class Combine>
void combine_all_values(const context& ctx, std::uint64_t tag, std::span<std::byte> values,
                        const Combine& combine) {
  if (values.size() <= bootstrap_of(ctx).round_bytes())
    return combine_round(ctx, tag, values, combine, values, 0, ctx.size() - 1);
  in_blocks(ctx, tag, [&](block_exchange& via) { long_allreduce(ctx, via, combine).run(values); });
}

/// Sums with the transport's own sum. Returns false if the transport has none.
bool sum_by_transport(const context& ctx, std::uint64_t tag, std::span<double> values) {
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  bootstrap& via = bootstrap_of(ctx);
  rounds::require_rank(ctx, tag);
  if (!via.begin_sum(values)) return false;
  std::span<const double> total;
  wait_until(
      ctx, [&] { return !(total = via.finished_sum()).empty(); },
      [&] {
        wait_report wait{text("in ", rounds::describe(tag), " of fast order"), {}};
        for_each_other(ctx, [&](int rank) {
          wait.missing.push_back({rank, text("rank ", rank, " may not have come")});
        });
        return wait;
      });
  std::ranges::copy(total, values.begin());
  return true;
}

}  // namespace

void allreduce(const context& ctx, std::span<std::byte> values, const combiner& combine,
               sum_order order) {
  require_values(ctx, combine, values.size());
  if (run_mirrored(ctx, {changed_part(values)},
                   [&](const device_mirror& on) { allreduce(ctx, on.host(0), combine, order); }))
    return;
  const std::uint64_t tag = make_tag(operation::allreduce, combine, values.size());
  if (values.empty()) return rounds::meet(ctx, tag);
  const bool may_add = are_doubles_to_add(combine);
  if (order == sum_order::fast && may_add &&
      sum_by_transport(ctx, tag,
                       {reinterpret_cast<double*>(values.data()), values.size() / sizeof(double)}))
    return;
  if (!may_add) return combine_all_values(ctx, tag, values, combine);
  combine_all_values(ctx, tag, values, double_sum());
  // The call was the same on all ranks, so all of them are known to be here.
  autotune_channels(ctx);
}

}  // namespace onehop
