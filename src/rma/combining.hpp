#pragma once
/// Here collectives combine values: the requirements on their combiner, and the rounds and
/// exchanges of blocks that combine values in rank order. `Combine` is a combiner, or a similar
/// type that is known at compile time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <onehop/context.hpp>
#include <onehop/reduction.hpp>
#include <span>
#include <vector>

#include "machine/copy_bytes.hpp"
#include "rma/block_exchange.hpp"
#include "rma/round_tag.hpp"
#include "rma/rounds.hpp"

namespace onehop {

/// A double_sum is known at compile time. Solvers sum one number or two, and a call by pointer with
/// lengths known only at run time took a fifth of the time of such a sum. More than a few numbers
/// go through the pointer to the loop compiled for this processor.
struct double_sum {
  static constexpr std::size_t few = 8;
  static constexpr std::size_t value_bytes = sizeof(double);
  static constexpr bool commutes = true;
  void operator()(std::byte* into, const std::byte* from, std::size_t values) const {
    if (values > few) return combiner_of<double>(reduction::sum)(into, from, values);
    detail::combine_all<double>(into, from, values, [](double a, double b) { return a + b; });
  }
};
inline bool are_doubles_to_add(const combiner& combine) {
  return combine.state == nullptr && combine.kind == reduction::sum &&
         combine.apply == combiner_of<double>(reduction::sum).apply;
}

/// A combiner may declare at compile time that swapping its two values gives the same bits.
template <class Combine>
constexpr bool may_swap = requires {
  requires Combine::commutes;
};

/// Counts whole values, with a shift if possible, because a division takes a tenth of the time of a
/// short sum.
template <class Combine>
std::size_t values_in(std::size_t bytes, const Combine& combine) {
  return std::has_single_bit(combine.value_bytes) ? bytes >> std::countr_zero(combine.value_bytes)
                                                  : bytes / combine.value_bytes;
}
/// Returns how many bytes the whole values that fit in `bytes` take.
template <class Combine>
std::size_t whole_values(std::size_t bytes, const Combine& combine) {
  return values_in(bytes, combine) * combine.value_bytes;
}

/// Throws usage_error if the combiner is invalid, or if `bytes` is not a multiple of the value
/// size.
void require_values(const context& ctx, const combiner& combine, std::size_t bytes);

inline void copy_values(std::byte* to, const std::byte* from, std::size_t bytes) {
  // This copy of one number compiles to a load and a store.
  if (bytes == sizeof(double))
    std::memcpy(to, from, sizeof(double));
  else
    copy_bytes(to, from, bytes);
}

/// A copied_values object allocates nothing if the values are short.
class copied_values {
 public:
  static constexpr std::size_t short_bytes = 4096;

  explicit copied_values(std::span<const std::byte> values) {
    if (values.size() > short_.size()) long_.resize(values.size());
    data_ = long_.empty() ? short_.data() : long_.data();
    copy_values(data_, values.data(), values.size());
  }
  copied_values(const copied_values&) = delete;
  copied_values& operator=(const copied_values&) = delete;
  const std::byte* bytes() const { return data_; }

 private:
  std::array<std::byte, short_bytes> short_;
  std::vector<std::byte> long_;
  std::byte* data_;
};

/// Combines `own` with the values of the other ranks, those of ranks 0 to `last` in rank order.
/// `theirs` is called for each other rank and returns where its values lie. They are only read,
/// because a cache line written here must move back to the other core before it can hold new
/// values.
template <class Combine, class Theirs>
void combine_in_order(const context& ctx, std::span<std::byte> own, const Combine& combine,
                      int last, const Theirs& theirs) {
  const std::size_t values = values_in(own.size(), combine);
  const int mine = ctx.rank();
  // The first two give the same result in either order if they commute.
  const bool in_place = mine == 0 || (mine == 1 && may_swap<Combine>);
  if (in_place && mine <= last) {
    for (int rank = 0; rank < ctx.size(); ++rank)
      if (rank != mine)
        if (const std::byte* const from = theirs(rank); rank <= last)
          combine(own.data(), from, values);
    return;
  }
  const copied_values kept(own);
  for (int rank = 0; rank < ctx.size(); ++rank) {
    const std::byte* const from = rank == mine ? kept.bytes() : theirs(rank);
    if (rank == 0)
      copy_values(own.data(), from, own.size());
    else if (rank <= last)
      combine(own.data(), from, values);
  }
}

/// Combines the values of this rank with those that the other ranks from 0 to `last` posted.
template <class Combine>
void combine_round(const context& ctx, std::uint64_t tag, std::span<std::byte> piece,
                   const Combine& combine, std::span<const std::byte> posted, std::size_t offset,
                   int last) {
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  rounds::enter(ctx, tag, posted);
  combine_in_order(ctx, piece, combine, last,
                   [&](int rank) { return rounds::hear(ctx, tag, rank) + offset; });
}

/// Combines in pieces of whole values, each as long as a message of a round may be.
template <class Combine>
void combine_rounds(const context& ctx, std::uint64_t tag, std::span<std::byte> values,
                    const Combine& combine, int last) {
  const std::size_t most = whole_values(bootstrap_of(ctx).round_bytes(), combine);
  for (std::size_t done = 0; done < values.size(); done += most) {
    const auto piece = values.subspan(done, std::min(most, values.size() - done));
    combine_round(ctx, tag, piece, combine, piece, 0, last);
  }
}

/// Combines this rank's own block, which lies in `from`, with the blocks that arrived for it. It
/// works in parts that stay in the nearest cache.
template <class Combine>
void combine_arrivals(const context& ctx, block_exchange& via, std::span<const std::byte> from,
                      std::span<std::byte> into, const Combine& combine) {
  const std::size_t most = whole_values(copied_values::short_bytes, combine);
  for (std::size_t done = 0; done < into.size(); done += most) {
    const std::span<std::byte> part = into.subspan(done, std::min(most, into.size() - done));
    if (from.data() != into.data()) move_bytes(part.data(), from.data() + done, part.size());
    combine_in_order(ctx, part, combine, ctx.size() - 1,
                     [&](int rank) { return via.incoming(rank).data() + done; });
  }
}

}  // namespace onehop
