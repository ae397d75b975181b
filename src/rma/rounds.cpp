#include "rma/rounds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/numbering.hpp"
#include "transport/base/transport.hpp"

namespace onehop::rounds {
namespace {

constexpr std::array names{"barrier", "broadcast", "allgather",      "allreduce", "alltoall",
                           "reduce",  "scan",      "reduce_scatter", "alltoallv", "gather",
                           "scatter", "gatherv",   "scatterv",       "split",     "sparse_exchange",
                           "commit"};
static_assert(names.size() == static_cast<std::size_t>(operation::count));
constexpr std::array allreduce_names{"allreduce_sum",     "allreduce_min",    "allreduce_max",
                                     "allreduce_bit_and", "allreduce_bit_or", "allreduce_bit_xor"};
constexpr std::array kind_names{"sum", "min", "max", "bit_and", "bit_or", "bit_xor"};
constexpr std::array type_names{"",           " of int32",   " of uint32", " of int64",
                                " of uint64", " of float32", " of float64"};

/// Stays in the round that failed here until its messages have come, but only for a short time.
/// Other ranks may hear of them only through this rank.
void pass_on(const context& ctx) {
  using namespace std::chrono_literals;
  bootstrap& via = bootstrap_of(ctx);
  clock& time = clock_of(ctx);
  const auto end = time.now() + std::min<clock::duration>(ctx.deadline(), 5s);
  for (int rank = 0, turn = 0; rank < ctx.size() && time.now() < end;) {
    if (rank == ctx.rank() || via.heard_through(rank) == rank ||
        via.posted(rank, 0).data != nullptr) {
      ++rank;
      continue;
    }
    transport_of(ctx).progress();
    time.idle(turn++, end);
  }
}

/// Returns whether all other ranks are known to have reached that round by the same operations.
bool all_agree(const context& ctx, int before) {
  bootstrap& via = bootstrap_of(ctx);
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank() && !via.agrees(rank, before)) return false;
  return true;
}

}  // namespace

const char* name_of(std::uint64_t tag) {
  if (operation_of(tag) == operation::allreduce)
    return allreduce_names[static_cast<std::size_t>(kind_of(tag))];
  return names[static_cast<std::size_t>(operation_of(tag))];
}

std::string articled_name_of(std::uint64_t tag) {
  std::string name = name_of(tag);
  const operation what = operation_of(tag);
  if (what == operation::reduce || what == operation::scan || what == operation::reduce_scatter)
    name += text("_", kind_names[static_cast<std::size_t>(kind_of(tag))]);
  return text(name[0] == 'a' ? "an " : "a ", name);
}

std::string describe(std::uint64_t tag) {
  const std::string words = text(articled_name_of(tag), " of ", bytes_of(tag), " bytes",
                                 type_names[static_cast<std::size_t>(type_of(tag))]);
  switch (operation_of(tag)) {
    case operation::broadcast:
    case operation::scatter:
    case operation::scatterv:
      return text(words, " from rank ", root_of(tag));
    case operation::gather:
    case operation::gatherv:
    case operation::reduce:
      return text(words, " to rank ", root_of(tag));
    default:
      return words;
  }
}

wait_report not_entered(const context& ctx, std::uint64_t tag, int before) {
  wait_report wait{text("in ", describe(tag)), {}};
  bootstrap& via = bootstrap_of(ctx);
  // Ranks that are certainly missing come first; messages of the other ranks may be on their way.
  for (const bool directly : {true, false})
    for (int rank = 0; rank < ctx.size(); ++rank) {
      const int through = via.heard_through(rank);
      if (rank == ctx.rank() || (through == rank) != directly) continue;
      if (via.posted(rank, before).data != nullptr) continue;
      wait.missing.push_back(
          {through, directly ? text("rank ", rank, " has not come")
                             : text("rank ", rank, " was not heard of through rank ", through)});
    }
  return wait;
}

void finish_failed(const context& ctx, std::uint64_t tag) {
  bootstrap& via = bootstrap_of(ctx);
  for (; via.failed_before >= 0; --via.failed_before)
    for (int rank = 0; rank < ctx.size(); ++rank)
      if (rank != ctx.rank())
        wait_until(
            ctx, [&] { return via.posted(rank, via.failed_before).data != nullptr; },
            [&] { return not_entered(ctx, tag, via.failed_before); });
}

void refuse_fork(const context& ctx, std::uint64_t tag) {
  throw usage_error(text("rank ", ctx.rank(), ": ", describe(tag),
                         " in a process forked since this rank joined its job: a forked child is "
                         "not a rank, so leave the job to its parent"));
}

void refuse_other(const context& ctx, std::uint64_t tag, int rank, std::uint64_t theirs,
                  int before) {
  pass_on(ctx);
  bootstrap_of(ctx).dispute_round(before);
  bootstrap_of(ctx).failed_before = before;
  bootstrap_of(ctx).left_open.clear();
  throw usage_error(text("rank ", ctx.rank(), " is in ", describe(tag), " while rank ", rank,
                         " is in ", describe(theirs),
                         ": all ranks must make the same calls in the same order", numbering(ctx)));
}

void hear_all(const context& ctx, std::uint64_t tag, int before) {
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (rank != ctx.rank()) hear(ctx, tag, rank, before);
}

void close_rounds(const context& ctx, std::size_t most, int after) {
  std::vector<std::uint64_t>& open = bootstrap_of(ctx).left_open;
  if (open.size() <= most) return;
  const std::size_t closing = open.size() - most;
  const auto before = [&](std::size_t closed) {
    return static_cast<int>(open.size() - closed) - 1 + after;
  };
  for (std::size_t closed = 0; closed < closing && !all_agree(ctx, before(closing - 1)); ++closed)
    hear_all(ctx, open[closed], before(closed));
  open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(closing));
}

void close_for(const context& ctx, std::size_t bytes) {
  const std::size_t most = bootstrap_of(ctx).most_left_open(bytes);
  // Several rounds are closed together, which needs only one look at each rank. It is not most of
  // them, since all ranks would then have to come close to this one before it goes on.
  if (bootstrap_of(ctx).left_open.size() > most) close_rounds(ctx, most * 3 / 4);
}

// Pieces follow each other without waiting once all ranks are known to be in the same broadcast.
void broadcast(const context& ctx, std::span<std::byte> data, int root) {
  const std::uint64_t tag = make_tag(operation::broadcast, data.size(), root);
  const trace_span span(ctx.trace(), name_of(tag));
  const bool mine = ctx.rank() == root;
  bootstrap& via = bootstrap_of(ctx);
  const std::size_t longest = via.piece_bytes();
  std::size_t done = 0;
  do {
    if (done == longest) close_rounds(ctx, 0);
    const auto piece = data.subspan(done, std::min(longest, data.size() - done));
    enter_ahead(ctx, tag, mine ? piece : piece.first(0));
    via.left_open.push_back(tag);
    const std::byte* const theirs = mine ? nullptr : hear(ctx, tag, root);
    // One of the open rounds tells which ranks made a different call.
    if (mine ? via.claim_round() : !via.agrees(root, 0)) close_rounds(ctx, 0);
    if (!mine && !piece.empty()) copy_bytes(piece.data(), theirs, piece.size());
    done += longest;
  } while (done < data.size());
  if (via.most_left_open(0) == 0) close_rounds(ctx, 0);
}

void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::uint64_t tag = make_tag(operation::allgather, mine.size());
  const std::size_t most = bootstrap_of(ctx).round_bytes();
  for (std::size_t done = 0; done < mine.size(); done += most) {
    const auto piece = mine.subspan(done, std::min(most, mine.size() - done));
    round(ctx, tag, piece, [&](int rank, const std::byte* theirs) {
      const std::size_t place = static_cast<std::size_t>(rank) * mine.size() + done;
      // Memory may overlap, since `mine` may be part of `all`.
      std::memmove(all.data() + place, theirs, piece.size());
    });
  }
}

}  // namespace onehop::rounds
