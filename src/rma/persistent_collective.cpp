#include <onehop/persistent_collective.hpp>

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/combining.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

using bytes = std::span<const std::byte>;
using writable_bytes = std::span<std::byte>;

std::size_t at_rank(int rank) { return static_cast<std::size_t>(rank); }

/// A block_table says what goes between the ranks in one exchange, the same on every rank.
struct block_table {
  std::function<std::size_t(int origin, int target)> size;
  std::function<bytes(int target)> source;  ///< what this rank sends
};

}  // namespace

/// A stage is one exchange of a collective: a put to each rank that gets something. It is no part
/// of the unnamed namespace, since a class that other files name has it.
class collective_stage {
 public:
  collective_stage(const context& ctx, const block_table& blocks,
                   std::function<void(const collective_stage&)> take)
      : take_(std::move(take)),
        chain_(ctx, window::allocate(ctx, place(blocks, ctx.size(), ctx.rank()))),
        from_(at_rank(ctx.size())) {
    const int ranks = ctx.size(), mine = ctx.rank();
    // Every rank begins with another target, so that no rank is everybody's first.
    for (int distance = 1; distance < ranks; ++distance) {
      const int to = (mine + distance) % ranks, from = (mine + ranks - distance) % ranks;
      if (blocks.size(mine, to) > 0)
        chain_.push({local_view::contiguous(blocks.source(to)), to, place(blocks, mine, to)});
      if (blocks.size(from, mine) > 0) from_[at_rank(from)] = chain_.add_origin(from);
    }
    chain_.take_turns();
    chain_.commit();
  }

  put_chain& chain() { return chain_; }
  bytes arrived(int rank) const { return chain_.arrived(from_[at_rank(rank)]); }
  void take() { take_(*this); }

 private:
  /// Returns where the block of `origin` begins in the window of `target`, or the end for the
  /// number of ranks.
  static std::size_t place(const block_table& blocks, int origin, int target) {
    constexpr std::size_t line = 64;
    std::size_t end = 0;
    for (int rank = 0; rank < origin; ++rank)
      if (rank != target) end += (blocks.size(rank, target) + line - 1) / line * line;
    return end;
  }

  std::function<void(const collective_stage&)> take_;
  put_chain chain_;
  std::vector<notification> from_;
};

namespace {

/// Throws usage_error where another rank makes another call.
void agree(const context& ctx, std::uint64_t tag) {
  const std::vector<std::uint64_t> all = allgather(ctx, tag);
  for (int rank = 0; rank < ctx.size(); ++rank)
    if (all[at_rank(rank)] != tag) rounds::refuse_other(ctx, tag, rank, all[at_rank(rank)]);
}

/// Sets `into` to what all ranks give for it, combined in rank order; `own` is this rank's.
void combine_in_order(const context& ctx, const collective_stage& arrivals, bytes own,
                      writable_bytes into, const combiner& combine) {
  if (own.empty()) return;
  std::vector<std::byte> total;
  for (int rank = 0; rank < ctx.size(); ++rank) {
    const bytes theirs = rank == ctx.rank() ? own : arrivals.arrived(rank);
    if (rank == 0)
      total.assign(theirs.begin(), theirs.end());
    else
      combine(total.data(), theirs.data(), total.size() / combine.value_bytes);
  }
  copy_bytes(into.data(), total.data(), total.size());
}

}  // namespace

struct persistent_collective::state final : private progress_task {
  context ctx;
  const char* name;
  std::vector<collective_stage> stages = {};
  std::size_t now = 0;     ///< the stage under way
  bool started = false;    ///< it was started at least once
  bool awaited = false;    ///< it was started, and not waited for yet
  bool in_flight = false;  ///< a stage is yet to end, which may happen while it is not waited for
  bool begun = false;      ///< the stage under way was started
  bool busy = false;       ///< it is going on, and not to be called by what it calls

  state(const context& job, const char* what) : ctx(job), name(what) {}
  ~state() { transport_of(ctx).tasks().remove(*this); }

  void add(const block_table& blocks, std::function<void(const collective_stage&)> take) {
    stages.emplace_back(ctx, blocks, std::move(take));
  }

  void start() {
    if (awaited)
      throw usage_error(text("rank ", ctx.rank(), ": start of a persistent ", name,
                             " that is under way: wait for it first"));
    started = awaited = in_flight = begun = true;
    now = 0;
    stages.front().chain().start();
    if (stages.size() > 1) transport_of(ctx).tasks().add(*this);
  }

  void finish_stage() {
    stages[now].take();
    begun = false;
    if (++now == stages.size()) in_flight = false;
  }

  /// Goes on as far as it can without waiting.
  void advance() {
    busy = true;
    while (in_flight) {
      put_chain& chain = stages[now].chain();
      if (!begun) {
        if (!chain.can_start()) break;
        chain.start();
        begun = true;
      }
      if (!chain.test()) break;
      finish_stage();
    }
    busy = false;
  }
  bool progress() override {
    if (!busy) advance();
    return in_flight;
  }

  void finish() {
    transport_of(ctx).tasks().remove(*this);
    while (in_flight) {
      if (!begun) stages[now].chain().start();
      begun = true;
      stages[now].chain().wait();
      finish_stage();
    }
    awaited = false;
  }
};

namespace {

using made = std::unique_ptr<persistent_collective::state>;

made begin(const context& ctx, const char* name, std::uint64_t tag) {
  agree(ctx, tag);
  return std::make_unique<persistent_collective::state>(ctx, name);
}

/// Adds the stage in which rank r gets its block of every rank, and combines them there.
void add_reduce(persistent_collective::state& to, const std::function<writable_bytes(int)>& block,
                const combiner& combine) {
  const int mine = to.ctx.rank();
  to.add({[block](int, int target) { return block(target).size(); }, block},
         [ctx = to.ctx, own = block(mine), combine](const collective_stage& all) {
           combine_in_order(ctx, all, own, own, combine);
         });
}

/// Adds the stage in which every rank gets the block of each.
void add_gather(persistent_collective::state& to, const std::function<writable_bytes(int)>& block) {
  const int mine = to.ctx.rank();
  to.add({[block](int origin, int) { return block(origin).size(); },
          [block, mine](int) { return block(mine); }},
         [ctx = to.ctx, block](const collective_stage& all) {
           for_each_other(ctx, [&](int rank) {
             if (!block(rank).empty())
               copy_bytes(block(rank).data(), all.arrived(rank).data(), block(rank).size());
           });
         });
}

/// Returns the blocks of equal numbers of values, as far as that is possible, in rank order.
std::function<writable_bytes(int)> blocks_of(const context& ctx, writable_bytes values,
                                             std::size_t value_bytes) {
  const std::size_t count = values.size() / value_bytes, ranks = at_rank(ctx.size());
  return [=](int rank) {
    const std::size_t first = at_rank(rank) * count / ranks,
                      end = (at_rank(rank) + 1) * count / ranks;
    return values.subspan(first * value_bytes, (end - first) * value_bytes);
  };
}

}  // namespace

persistent_collective::persistent_collective(std::unique_ptr<state> made)
    : state_(std::move(made)) {}
persistent_collective::~persistent_collective() = default;
persistent_collective::persistent_collective(persistent_collective&&) noexcept = default;
persistent_collective& persistent_collective::operator=(persistent_collective&&) noexcept = default;

void persistent_collective::start() { state_->start(); }

void persistent_collective::wait() {
  if (!state_->awaited)
    throw usage_error(text("rank ", state_->ctx.rank(), ": wait for a persistent ", state_->name,
                           " that is not under way: start it first"));
  state_->finish();
}

bool persistent_collective::test() {
  if (!state_->started)
    throw usage_error(text("rank ", state_->ctx.rank(), ": test of a persistent ", state_->name,
                           " that was never started: start it first"));
  state_->advance();
  state_->awaited = state_->in_flight;
  return !state_->in_flight;
}

persistent_collective persistent_allreduce(const context& ctx, writable_bytes values,
                                           const combiner& combine) {
  require_values(ctx, combine, values.size());
  made result = begin(ctx, "allreduce", make_tag(operation::allreduce, combine, values.size()));
  // Up to here one exchange with everything takes less time than two with a part of it.
  constexpr std::size_t most_in_one = 8192;
  if (values.size() > most_in_one && ctx.size() > 2) {
    const auto block = blocks_of(ctx, values, combine.value_bytes);
    add_reduce(*result, block, combine);
    add_gather(*result, block);
  } else {
    result->add(
        {[values](int, int) { return values.size(); }, [values](int) { return values; }},
        [=](const collective_stage& all) { combine_in_order(ctx, all, values, values, combine); });
  }
  return persistent_collective(std::move(result));
}

persistent_collective persistent_broadcast(const context& ctx, writable_bytes data, int root) {
  require_root(ctx, root, "persistent broadcast from");
  made result = begin(ctx, "broadcast", make_tag(operation::broadcast, data.size(), root));
  result->add({[=](int origin, int) { return origin == root ? data.size() : 0; },
               [data](int) { return data; }},
              [=](const collective_stage& all) {
                if (ctx.rank() != root && !data.empty())
                  copy_bytes(data.data(), all.arrived(root).data(), data.size());
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_allgather(const context& ctx, writable_bytes all) {
  const std::size_t block = all.size() / at_rank(ctx.size());
  require_space(ctx, "persistent allgather", block, all.size());
  made result = begin(ctx, "allgather", make_tag(operation::allgather, block));
  add_gather(*result, blocks_of(ctx, all, std::max<std::size_t>(block, 1)));
  return persistent_collective(std::move(result));
}

persistent_collective persistent_alltoall(const context& ctx, bytes send, writable_bytes receive) {
  const std::size_t block = receive.size() / at_rank(ctx.size());
  require_space(ctx, "persistent alltoall", block, receive.size());
  require_space(ctx, "persistent alltoall", block, send.size());
  made result = begin(ctx, "alltoall", make_tag(operation::alltoall, block));
  const auto of = [block](auto all, int rank) { return all.subspan(at_rank(rank) * block, block); };
  result->add({[block](int, int) { return block; }, [=](int target) { return of(send, target); }},
              [=](const collective_stage& all) {
                for (int rank = 0; block > 0 && rank < ctx.size(); ++rank)
                  copy_bytes(of(receive, rank).data(),
                             (rank == ctx.rank() ? of(send, rank) : all.arrived(rank)).data(),
                             block);
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_reduce_scatter(const context& ctx, bytes all, writable_bytes mine,
                                                const combiner& combine) {
  require_space(ctx, "persistent reduce_scatter", mine.size(), all.size());
  require_values(ctx, combine, mine.size());
  made result =
      begin(ctx, "reduce_scatter", make_tag(operation::reduce_scatter, combine, all.size()));
  const auto block = [all, size = mine.size()](int rank) {
    return all.subspan(at_rank(rank) * size, size);
  };
  result->add({[mine](int, int) { return mine.size(); }, block},
              [=](const collective_stage& arrivals) {
                combine_in_order(ctx, arrivals, block(ctx.rank()), mine, combine);
              });
  return persistent_collective(std::move(result));
}

}  // namespace onehop
