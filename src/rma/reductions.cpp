#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/autotune.hpp"
#include "rma/block_exchange.hpp"
#include "rma/combining.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "rma/waiter.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

void copy_values(std::byte* to, const std::byte* from, std::size_t bytes) {
  // A copy of one number compiles to a load and a store.
  if (bytes == sizeof(double))
    std::memcpy(to, from, sizeof(double));
  else
    std::memcpy(to, from, bytes);
}

/// copied_values allocates nothing as long as the values are short.
class copied_values {
 public:
  explicit copied_values(std::span<const std::byte> values) {
    if (values.size() > short_.size()) long_.resize(values.size());
    data_ = long_.empty() ? short_.data() : long_.data();
    copy_values(data_, values.data(), values.size());
  }
  copied_values(const copied_values&) = delete;
  copied_values& operator=(const copied_values&) = delete;
  const std::byte* bytes() const { return data_; }

 private:
  std::array<std::byte, 4096> short_;
  std::vector<std::byte> long_;
  std::byte* data_;
};

/// A double_sum is known when this is compiled: sums of solvers are of one number or two, and a
/// call by pointer with lengths known only at run time took a fifth of their time.
struct double_sum {
  static constexpr std::size_t value_bytes = sizeof(double);
  void operator()(std::byte* into, const std::byte* from, std::size_t values) const {
    detail::combine_all<double>(into, from, values, [](double a, double b) { return a + b; });
  }
};

/// Combines what the ranks from 0 to `last`, except this one, posted with what this one gives; all
/// in rank order.
template <class Combine>
void combine_round(const context& ctx, std::uint64_t tag, std::span<std::byte> piece,
                   const Combine& combine, std::span<const std::byte> posted, std::size_t offset,
                   int last) {
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  rounds::enter(ctx, tag, posted);
  const copied_values mine(piece);
  for (int rank = 0; rank < ctx.size(); ++rank) {
    const std::byte* const theirs =
        rank == ctx.rank() ? mine.bytes() : rounds::hear(ctx, tag, rank) + offset;
    if (rank == 0)
      copy_values(piece.data(), theirs, piece.size());
    else if (rank <= last)
      combine(piece.data(), theirs, values_in(piece.size(), combine));
  }
}

/// Combines in pieces of whole values, each as long as a message of a round takes.
template <class Combine>
void combine_rounds(const context& ctx, std::uint64_t tag, std::span<std::byte> values,
                    const Combine& combine, int last) {
  const std::size_t most =
      values_in(bootstrap_of(ctx).round_bytes(), combine) * combine.value_bytes;
  for (std::size_t done = 0; done < values.size(); done += most) {
    const auto piece = values.subspan(done, std::min(most, values.size() - done));
    combine_round(ctx, tag, piece, combine, piece, 0, last);
  }
}

/// Combines, in rank order, this rank's `own` block with the blocks that arrived for it, and
/// returns where the result lies until the next exchange: in `own` at rank 0, elsewhere in what
/// came from rank 0.
std::span<std::byte> combine_arrivals(const context& ctx, block_exchange& via,
                                      std::span<std::byte> own, const combiner& combine) {
  const std::size_t values = values_in(own.size(), combine);
  const std::span<std::byte> total = ctx.rank() == 0 ? own : via.incoming(0);
  for (int rank = 1; rank < ctx.size(); ++rank)
    combine(total.data(), rank == ctx.rank() ? own.data() : via.incoming(rank).data(), values);
  return total;
}

bool are_doubles_to_add(const combiner& combine) {
  return combine.state == nullptr && combine.kind == reduction::sum &&
         combine.apply == combiner_of<double>(reduction::sum).apply;
}

/// Sums by the transport's own sum; returns false where it has none.
bool sum_by_transport(const context& ctx, std::span<double> values) {
  const std::uint64_t tag = make_tag(operation::sum, values.size_bytes());
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
  if (values.empty()) return;
  const bool may_add = are_doubles_to_add(combine);
  if (order == sum_order::fast && may_add &&
      sum_by_transport(ctx,
                       {reinterpret_cast<double*>(values.data()), values.size() / sizeof(double)}))
    return;
  const std::uint64_t tag = make_tag(operation_of_kind(combine.kind), values.size());
  if (!may_add) return combine_rounds(ctx, tag, values, combine, ctx.size() - 1);
  combine_rounds(ctx, tag, values, double_sum(), ctx.size() - 1);
  // All ranks are known to be here, since this call was the same on all.
  autotune_channels(ctx);
}

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
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  rounds::enter(ctx, tag, {});
  rounds::hear_all(ctx, tag);
  block_exchange& via = exchange_of(ctx);
  const std::size_t most = values_in(via.most(), combine) * combine.value_bytes;
  for (std::size_t done = 0; done < mine.size(); done += most) {
    const std::span<std::byte> own = mine.subspan(done, std::min(most, mine.size() - done));
    for_each_other(ctx, [&](int rank) { via.send(rank, block(rank).subspan(done, own.size())); });
    via.carry();
    const std::span<const std::byte> total = combine_arrivals(ctx, via, own, combine);
    if (total.data() != own.data()) std::memcpy(own.data(), total.data(), own.size());
  }
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
