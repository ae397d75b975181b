#pragma once
/// These collectives use only the transport's rounds. Short messages travel by them, and so do the
/// descriptions of windows and chains.

#include <cstddef>
#include <cstdint>
#include <onehop/context.hpp>
#include <onehop/trace.hpp>
#include <span>
#include <string>

#include "rma/round_tag.hpp"
#include "rma/waiter.hpp"
#include "transport/base/transport.hpp"

namespace onehop::rounds {

/// Returns the name of the operation that a tag stands for, as "barrier".
const char* name_of(std::uint64_t tag);
/// Returns the operation's name with its article, as "a barrier".
std::string articled_name_of(std::uint64_t tag);
/// Returns the operation of a tag with its size, as "an allgather of 4 bytes".
std::string describe(std::uint64_t tag);

/// Reports for whom a wait still waits, in the round that was entered `before` rounds before the
/// last.
wait_report not_entered(const context& ctx, std::uint64_t tag, int before);
/// Waits until every rank has reached the round that failed here and the rounds that this rank
/// entered after it. If it went on earlier, its messages would overwrite those that a slow rank has
/// not read.
void finish_failed(const context& ctx, std::uint64_t tag);
[[noreturn]] void refuse_fork(const context& ctx, std::uint64_t tag);
/// `before` has the same meaning as in hear.
[[noreturn]] void refuse_other(const context& ctx, std::uint64_t tag, int rank,
                               std::uint64_t theirs, int before = 0);

/// Throws usage_error in a forked child.
inline void require_rank(const context& ctx, std::uint64_t tag) {
  if (transport_of(ctx).forked()) refuse_fork(ctx, tag);
}
/// Closes enough open rounds to make room for a message of `bytes`.
void close_for(const context& ctx, std::size_t bytes);
/// Posts to the next round while the last ones may still be open. Throws whatever require_rank and
/// hear throw.
inline void enter_ahead(const context& ctx, std::uint64_t tag, std::span<const std::byte> message) {
  require_rank(ctx, tag);
  bootstrap& via = bootstrap_of(ctx);
  if (via.failed_before != bootstrap::none_failed) finish_failed(ctx, tag);
  if (!via.left_open.empty()) close_for(ctx, message.size());
  via.post(tag, message);
}
/// Reads what the other ranks posted to the open rounds, the oldest first, until `most` of them are
/// left open. `after` rounds were entered since the last of them. Throws whatever hear throws.
void close_rounds(const context& ctx, std::size_t most, int after = 0);
/// Posts to the next round and closes the open ones. Throws whatever require_rank and hear throw.
inline void enter(const context& ctx, std::uint64_t tag, std::span<const std::byte> message) {
  enter_ahead(ctx, tag, message);
  if (!bootstrap_of(ctx).left_open.empty()) close_rounds(ctx, 0, 1);
}
/// Waits for another rank's message in the round that was entered `before` rounds before the last.
/// Throws usage_error if that rank is in another operation.
inline const std::byte* hear(const context& ctx, std::uint64_t tag, int rank, int before = 0) {
  bootstrap& via = bootstrap_of(ctx);
  bootstrap::posting theirs;
  wait_until(
      ctx, [&] { return (theirs = via.posted(rank, before)).data != nullptr; },
      [&] { return not_entered(ctx, tag, before); });
  if (theirs.tag != tag) refuse_other(ctx, tag, rank, theirs.tag, before);
  return theirs.data;
}
/// Waits until every rank has posted to that round.
void hear_all(const context& ctx, std::uint64_t tag, int before = 0);

/// Passes every rank's message of the current round to `take`. This rank's own comes first and is
/// not fetched from the memory that the others read.
template <class Take>
void take_all(const context& ctx, std::uint64_t tag, std::span<const std::byte> mine, Take&& take) {
  take(ctx.rank(), mine.data());
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank()) take(rank, hear(ctx, tag, rank));
}

/// Posts `mine` and passes every rank's message to `take`.
template <class Take>
void round(const context& ctx, std::uint64_t tag, std::span<const std::byte> mine, Take&& take) {
  const trace_span span(ctx.trace(), name_of(tag));
  enter(ctx, tag, mine);
  take_all(ctx, tag, mine, take);
}

/// Ranks that send and receive nothing take part as well, so that a rank in another operation or
/// with other sizes is noticed.
inline void meet(const context& ctx, std::uint64_t tag) {
  round(ctx, tag, {}, [](int, const std::byte*) {});
}

/// These public collectives consist of rounds and work piece by piece for any size. The rounds of a
/// broadcast may stay open, so that its root runs ahead of the other ranks.
void broadcast(const context& ctx, std::span<std::byte> data, int root);
void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all);

}  // namespace onehop::rounds
