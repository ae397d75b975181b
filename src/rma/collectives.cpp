#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/autotune.hpp"
#include "rma/block_round.hpp"
#include "rma/round_tag.hpp"
#include "rma/waiter.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

constexpr std::array<const char*, 6> names{"barrier",       "broadcast",     "allgather",
                                           "allreduce_sum", "allreduce_max", "alltoall"};

const char* name_of(std::uint64_t tag) {
  return names[static_cast<std::size_t>(operation_of(tag))];
}
std::string describe(std::uint64_t tag) {
  const char* name = name_of(tag);
  return text(*name == 'a' ? "an " : "a ", name, " of ", bytes_of(tag), " bytes");
}

wait_report not_entered(const context& ctx, std::uint64_t tag) {
  wait_report wait{text("in ", describe(tag)), {}};
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank() && bootstrap_of(ctx).posted(rank).data == nullptr)
      wait.missing.push_back({rank, text("rank ", rank, " has not come")});
  return wait;
}

void require_rank(const context& ctx, std::uint64_t tag) {
  if (transport_of(ctx).forked())
    throw usage_error(text("rank ", ctx.rank(), ": ", describe(tag),
                           " in a process forked since this rank joined its job: a forked child is "
                           "no rank, so leave the job to its parent"));
}

/// Posts to the next round.
void enter(const context& ctx, std::uint64_t tag, std::span<const std::byte> message) {
  require_rank(ctx, tag);
  bootstrap_of(ctx).post(tag, message);
}

/// Waits for the message of one other rank in the round that was posted to last.
const std::byte* hear(const context& ctx, std::uint64_t tag, int rank) {
  bootstrap& rounds = bootstrap_of(ctx);
  bootstrap::posting theirs;
  wait_until(
      ctx, [&] { return (theirs = rounds.posted(rank)).data != nullptr; },
      [&] { return not_entered(ctx, tag); });
  if (theirs.tag != tag)
    throw usage_error(text("rank ", ctx.rank(), " is in ", describe(tag), " while rank ", rank,
                           " is in ", describe(theirs.tag),
                           ": all ranks must make the same calls in the same order"));
  return theirs.data;
}

/// Hands what every rank posted to the round under way to `take`, this rank's own first: it is not
/// fetched from where the others look at it.
template <class Take>
void take_all(const context& ctx, std::uint64_t tag, std::span<const std::byte> mine, Take&& take) {
  take(ctx.rank(), mine.data());
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank()) take(rank, hear(ctx, tag, rank));
}

/// Posts `mine` and hands every rank's message to `take`.
template <class Take>
void round(const context& ctx, std::uint64_t tag, std::span<const std::byte> mine, Take&& take) {
  const trace_span span(ctx.trace(), name_of(tag));
  enter(ctx, tag, mine);
  take_all(ctx, tag, mine, take);
}

/// A copy that needs no allocation as long as it is short.
class copied_values {
 public:
  explicit copied_values(std::span<const double> values) {
    if (values.size() > short_.size()) long_.resize(values.size());
    data_ = long_.empty() ? short_.data() : long_.data();
    std::ranges::copy(values, data_);
  }
  copied_values(const copied_values&) = delete;
  copied_values& operator=(const copied_values&) = delete;
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(data_); }

 private:
  std::array<double, 512> short_;
  std::vector<double> long_;
  double* data_;
};

template <class Combine>
void reduce_piece(const context& ctx, std::uint64_t tag, std::span<double> piece,
                  Combine&& combine) {
  const trace_span span(ctx.trace(), name_of(tag));
  enter(ctx, tag, std::as_bytes(piece));
  const copied_values mine(piece);
  for (int rank = 0; rank < ctx.size(); ++rank) {
    const std::byte* const theirs = rank == ctx.rank() ? mine.bytes() : hear(ctx, tag, rank);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      double value;
      std::memcpy(&value, theirs + i * sizeof value, sizeof value);
      piece[i] = rank == 0 ? value : combine(piece[i], value);
    }
  }
}

template <class Combine>
void allreduce(const context& ctx, operation what, std::span<double> values, Combine&& combine) {
  const std::uint64_t tag = make_tag(what, values.size_bytes());
  const std::size_t most = bootstrap_of(ctx).round_bytes() / sizeof(double);
  for (std::size_t done = 0; done < values.size(); done += most)
    reduce_piece(ctx, tag, values.subspan(done, std::min(most, values.size() - done)), combine);
}

/// False where the transport has no sum of its own.
bool sum_by_transport(const context& ctx, std::span<double> values) {
  const std::uint64_t tag = make_tag(operation::sum, values.size_bytes());
  const trace_span span(ctx.trace(), name_of(tag));
  bootstrap& rounds = bootstrap_of(ctx);
  require_rank(ctx, tag);
  if (!rounds.begin_sum(values)) return false;
  std::span<const double> total;
  wait_until(
      ctx, [&] { return !(total = rounds.finished_sum()).empty(); },
      [&] {
        wait_report wait{text("in ", describe(tag), " of fast order"), {}};
        for (int rank = 0; rank < ctx.size(); ++rank)
          if (rank != ctx.rank())
            wait.missing.push_back({rank, text("rank ", rank, " may not have come")});
        return wait;
      });
  std::ranges::copy(total, values.begin());
  return true;
}

}  // namespace

void barrier(const context& ctx) {
  round(ctx, make_tag(operation::barrier, 0), {}, [](int, const std::byte*) {});
}

void broadcast(const context& ctx, std::span<std::byte> data, int root) {
  if (root < 0 || root >= ctx.size())
    throw usage_error(text("broadcast from rank ", root, ": give one from 0 to ", ctx.size() - 1));
  const std::uint64_t tag = make_tag(operation::broadcast, data.size());
  const std::size_t most = bootstrap_of(ctx).round_bytes();
  for (std::size_t done = 0; done < data.size(); done += most) {
    const auto piece = data.subspan(done, std::min(most, data.size() - done));
    const bool mine = ctx.rank() == root;
    const auto message = mine ? std::span<const std::byte>(piece) : std::span<const std::byte>();
    round(ctx, tag, message, [&](int rank, const std::byte* theirs) {
      if (rank == root && !mine) std::memcpy(piece.data(), theirs, piece.size());
    });
  }
}

namespace {

void require_space(const context& ctx, std::size_t mine, std::size_t all) {
  const auto ranks = static_cast<std::size_t>(ctx.size());
  if (all == mine * ranks) return;
  throw usage_error(text("allgather of ", mine, " bytes from ", ranks, " ranks into ", all,
                         " bytes: give ", mine * ranks));
}

}  // namespace

void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all) {
  require_space(ctx, mine.size(), all.size());
  const std::uint64_t tag = make_tag(operation::allgather, mine.size());
  const std::size_t most = bootstrap_of(ctx).round_bytes();
  for (std::size_t done = 0; done < mine.size(); done += most) {
    const auto piece = mine.subspan(done, std::min(most, mine.size() - done));
    round(ctx, tag, piece, [&](int rank, const std::byte* theirs) {
      const std::size_t place = static_cast<std::size_t>(rank) * mine.size() + done;
      // `mine` may be part of `all`.
      std::memmove(all.data() + place, theirs, piece.size());
    });
  }
}

void exchange_blocks(const context& ctx, std::span<const std::byte> send,
                     std::span<std::byte> receive) {
  const std::size_t bytes = send.size() / static_cast<std::size_t>(ctx.size());
  const std::size_t mine = static_cast<std::size_t>(ctx.rank()) * bytes;
  round(ctx, make_tag(operation::alltoall, bytes), send, [&](int rank, const std::byte* theirs) {
    std::memcpy(receive.data() + static_cast<std::size_t>(rank) * bytes, theirs + mine, bytes);
  });
}

started_allgather::started_allgather(const context& ctx, std::span<const std::byte> mine)
    : ctx_(ctx),
      mine_(mine.begin(), mine.end()),
      posted_(mine.size() <= bootstrap_of(ctx).round_bytes()) {
  if (posted_) enter(ctx_, make_tag(operation::allgather, mine_.size()), mine_);
}

void started_allgather::finish(std::span<std::byte> all) {
  if (!posted_) return allgather(ctx_, mine_, all);
  require_space(ctx_, mine_.size(), all.size());
  const std::uint64_t tag = make_tag(operation::allgather, mine_.size());
  const trace_span span(ctx_.trace(), name_of(tag));
  take_all(ctx_, tag, mine_, [&](int rank, const std::byte* theirs) {
    std::memcpy(all.data() + static_cast<std::size_t>(rank) * mine_.size(), theirs, mine_.size());
  });
}

void allreduce_sum(const context& ctx, std::span<double> values, sum_order order) {
  if (order == sum_order::fast && !values.empty() && sum_by_transport(ctx, values)) return;
  allreduce(ctx, operation::sum, values, [](double a, double b) { return a + b; });
  // All ranks are known to be here: this call was the same on all.
  if (!values.empty()) autotune_channels(ctx);
}

void allreduce_max(const context& ctx, std::span<double> values) {
  // A value that is not a number must not be lost on the way.
  allreduce(ctx, operation::max, values,
            [](double a, double b) { return b <= a ? a : (a != a ? a : b); });
}

}  // namespace onehop
