#include <onehop/persistent_collective.hpp>

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "rma/collective_stages.hpp"
#include "rma/combining.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/rounds.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

using bytes = std::span<const std::byte>;
using writable_bytes = std::span<std::byte>;
using made = std::unique_ptr<persistent_collective::state>;

/// Throws usage_error if another rank makes a different call. Returns whether all ranks pass true
/// for `wishes`, which means that their devices can do it. Such a rank posts the complement of its
/// tag.
bool agree(const context& ctx, std::uint64_t tag, bool wishes) {
  bool all_wish = true;
  const std::vector<std::uint64_t> all = allgather(ctx, wishes ? ~tag : tag);
  for (int rank = 0; rank < ctx.size(); ++rank) {
    const std::uint64_t theirs = all[at_rank(rank)];
    all_wish &= theirs == ~tag;
    if (theirs != tag && theirs != ~tag)
      rounds::refuse_other(ctx, tag, rank, is_complement(theirs) ? ~theirs : theirs);
  }
  return all_wish;
}

/// Collective. Returns whether the streams of all ranks' devices can wait for each other.
bool streams_wait(const context& ctx, device_worker& worker) {
  if (ctx.size() == 1) return true;
  constexpr std::size_t line = 64;
  const writable_bytes lines = worker.landing(line * at_rank(ctx.size() + 1));
  put_chain trial(ctx, window::register_existing(ctx, lines));
  for_each_other(ctx, [&](int rank) {
    trial.push({local_view::contiguous(lines.last(line)), rank, line * at_rank(ctx.rank())});
    trial.add_origin(rank);
  });
  trial.wait_on_stream();
  trial.commit();
  return trial.waits_on_stream();
}

}  // namespace

std::unique_ptr<persistent_collective::state> begin_collective(
    const context& ctx, const char* name, std::uint64_t tag,
    const std::vector<mirrored_part>& parts, const combiner* combine) {
  auto result = std::make_unique<persistent_collective::state>(ctx, name);
  found_worker found = find_worker(ctx, parts, combine);
  if (found.worker) require_stream(ctx);
  if (!agree(ctx, tag, found.worker != nullptr)) {
    if (found.worker) found.problem = "another rank has reasons against it";
  } else if (!streams_wait(ctx, *found.worker)) {
    found.problem = "streams of some ranks cannot wait for each other";
  } else {
    result->worker = std::move(found.worker);
    result->where = "from device to device, in the order of streams";
    return result;
  }
  result->copies = mirror_of(ctx, parts);
  if (result->copies)
    result->where = text("on copies in pinned memory of the host: ", found.problem);
  return result;
}

namespace {

/// Replaces memory of a device with host copies if the host does the work.
made begin(const context& ctx, const char* name, std::uint64_t tag, writable_bytes& values,
           const combiner* combine, bool is_read = true, bool is_written = true) {
  made result = begin_collective(ctx, name, tag, {part_of(values, is_read, is_written)}, combine);
  if (result->copies) values = result->copies->host(0);
  return result;
}

made begin(const context& ctx, const char* name, std::uint64_t tag, bytes& from, writable_bytes& to,
           const combiner* combine) {
  made result = begin_collective(ctx, name, tag, {read_part(from), written_part(to)}, combine);
  if (!result->copies) return result;
  from = result->copies->host(0);
  to = result->copies->host(1);
  return result;
}

/// Adds the stage in which rank r receives its block from every rank and combines these blocks.
void add_reduce(persistent_collective::state& to, const std::function<writable_bytes(int)>& block,
                const combiner& combine) {
  const int mine = to.ctx.rank();
  to.add({[block](int, int target) { return block(target).size(); }, block},
         [last = to.ctx.size() - 1, own = block(mine), combine](const collective_stage& all) {
           all.combine_up_to(own, own, combine, last);
         });
}

/// Adds the stage in which every rank, or only the root if there is one, receives every rank's
/// block.
void add_gather(persistent_collective::state& to, const std::function<writable_bytes(int)>& block,
                std::optional<int> root = {}) {
  const int mine = to.ctx.rank();
  to.add({[=](int origin, int target) {
            return target == root.value_or(target) ? block(origin).size() : 0;
          },
          [block, mine](int) { return block(mine); }},
         [ctx = to.ctx, block, gets = mine == root.value_or(mine)](const collective_stage& all) {
           if (!gets) return;
           for_each_other(ctx, [&](int rank) {
             if (!block(rank).empty()) all.copy(all.arrived(rank), block(rank));
           });
         });
}

/// Returns each rank's block of values in rank order, with numbers of values as equal as possible.
std::function<writable_bytes(int)> blocks_of(const context& ctx, writable_bytes values,
                                             std::size_t value_bytes) {
  const std::size_t count = values.size() / value_bytes, ranks = at_rank(ctx.size());
  return [=](int rank) {
    const std::size_t first = at_rank(rank) * count / ranks,
                      end = (at_rank(rank) + 1) * count / ranks;
    return values.subspan(first * value_bytes, (end - first) * value_bytes);
  };
}

/// Returns whether each rank combines one part of the values. Up to this size, one exchange of all
/// values is faster than two exchanges of a part each.
bool go_in_parts(const context& ctx, bytes values) {
  constexpr std::size_t most_in_one = 8192;
  return values.size() > most_in_one && ctx.size() > 2;
}

persistent_collective scan_up_to(const context& ctx, const char* name, writable_bytes values,
                                 const combiner& combine, int last) {
  require_values(ctx, combine, values.size());
  made result =
      begin(ctx, name, make_tag(operation::scan, combine, values.size()), values, &combine);
  result->add(
      {[values](int origin, int target) { return origin < target ? values.size() : 0; },
       [values](int) { return values; }},
      [=](const collective_stage& below) { below.combine_up_to(values, values, combine, last); });
  return persistent_collective(std::move(result));
}

/// Returns the block of a rank if all blocks have the same size.
template <class Bytes>
Bytes equal_block(Bytes all, int rank, std::size_t size) {
  return all.subspan(at_rank(rank) * size, size);
}

}  // namespace

persistent_collective persistent_allreduce(const context& ctx, writable_bytes values,
                                           const combiner& combine) {
  require_values(ctx, combine, values.size());
  made result = begin(ctx, "allreduce", make_tag(operation::allreduce, combine, values.size()),
                      values, &combine);
  if (go_in_parts(ctx, values)) {
    const auto block = blocks_of(ctx, values, combine.value_bytes);
    add_reduce(*result, block, combine);
    add_gather(*result, block);
  } else {
    result->add({[values](int, int) { return values.size(); }, [values](int) { return values; }},
                [=, last = ctx.size() - 1](const collective_stage& all) {
                  all.combine_up_to(values, values, combine, last);
                });
  }
  return persistent_collective(std::move(result));
}

persistent_collective persistent_reduce(const context& ctx, writable_bytes values,
                                        const combiner& combine, int root) {
  require_root(ctx, root, "persistent reduce to");
  require_values(ctx, combine, values.size());
  made result = begin(ctx, "reduce", make_tag(operation::reduce, combine, values.size(), root),
                      values, &combine);
  if (go_in_parts(ctx, values)) {
    const auto block = blocks_of(ctx, values, combine.value_bytes);
    add_reduce(*result, block, combine);
    add_gather(*result, block, root);
  } else {
    result->add({[=](int, int target) { return target == root ? values.size() : 0; },
                 [values](int) { return values; }},
                [=](const collective_stage& all) {
                  if (ctx.rank() == root)
                    all.combine_up_to(values, values, combine, ctx.size() - 1);
                });
  }
  return persistent_collective(std::move(result));
}

persistent_collective persistent_scan(const context& ctx, writable_bytes values,
                                      const combiner& combine) {
  return scan_up_to(ctx, "scan", values, combine, ctx.rank());
}

persistent_collective persistent_exclusive_scan(const context& ctx, writable_bytes values,
                                                const combiner& combine) {
  return scan_up_to(ctx, "exclusive scan", values, combine, ctx.rank() - 1);
}

persistent_collective persistent_gather(const context& ctx, bytes mine, writable_bytes all,
                                        int root) {
  require_root(ctx, root, "persistent gather to");
  if (ctx.rank() == root) require_space(ctx, "persistent gather", mine.size(), all.size());
  // Other ranks gather nothing, so the memory that they pass stays unchanged.
  if (ctx.rank() != root) all = {};
  made result =
      begin(ctx, "gather", make_tag(operation::gather, mine.size(), root), mine, all, nullptr);
  result->add({[=](int, int target) { return target == root ? mine.size() : 0; },
               [mine](int) { return mine; }},
              [=](const collective_stage& came) {
                for (int rank = 0; ctx.rank() == root && rank < ctx.size(); ++rank)
                  came.copy(rank == root || mine.empty() ? mine : came.arrived(rank),
                            equal_block(all, rank, mine.size()));
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_scatter(const context& ctx, bytes all, writable_bytes mine,
                                         int root) {
  require_root(ctx, root, "persistent scatter from");
  if (ctx.rank() == root) require_space(ctx, "persistent scatter", mine.size(), all.size());
  if (ctx.rank() != root) all = {};
  made result =
      begin(ctx, "scatter", make_tag(operation::scatter, mine.size(), root), all, mine, nullptr);
  const auto block = [all, size = mine.size()](int rank) { return equal_block(all, rank, size); };
  result->add({[=](int origin, int) { return origin == root ? mine.size() : 0; }, block},
              [=](const collective_stage& came) {
                if (!mine.empty())
                  came.copy(ctx.rank() == root ? block(root) : came.arrived(root), mine);
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_broadcast(const context& ctx, writable_bytes data, int root) {
  require_root(ctx, root, "persistent broadcast from");
  made result = begin(ctx, "broadcast", make_tag(operation::broadcast, data.size(), root), data,
                      nullptr, ctx.rank() == root, ctx.rank() != root);
  result->add({[=](int origin, int) { return origin == root ? data.size() : 0; },
               [data](int) { return data; }},
              [=](const collective_stage& all) {
                if (ctx.rank() != root && !data.empty()) all.copy(all.arrived(root), data);
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_allgather(const context& ctx, writable_bytes all) {
  const std::size_t block = all.size() / at_rank(ctx.size());
  require_space(ctx, "persistent allgather", block, all.size());
  made result = begin(ctx, "allgather", make_tag(operation::allgather, block), all, nullptr);
  add_gather(*result, blocks_of(ctx, all, std::max<std::size_t>(block, 1)));
  return persistent_collective(std::move(result));
}

persistent_collective persistent_alltoall(const context& ctx, bytes send, writable_bytes receive) {
  const std::size_t block = receive.size() / at_rank(ctx.size());
  require_space(ctx, "persistent alltoall", block, receive.size());
  require_space(ctx, "persistent alltoall", block, send.size());
  made result =
      begin(ctx, "alltoall", make_tag(operation::alltoall, block), send, receive, nullptr);
  result->add({[block](int, int) { return block; },
               [=](int target) { return equal_block(send, target, block); }},
              [=](const collective_stage& came) {
                for (int rank = 0; block > 0 && rank < ctx.size(); ++rank)
                  came.copy(
                      rank == ctx.rank() ? equal_block(send, rank, block) : came.arrived(rank),
                      equal_block(receive, rank, block));
              });
  return persistent_collective(std::move(result));
}

persistent_collective persistent_reduce_scatter(const context& ctx, bytes all, writable_bytes mine,
                                                const combiner& combine) {
  require_space(ctx, "persistent reduce_scatter", mine.size(), all.size());
  require_values(ctx, combine, mine.size());
  made result =
      begin(ctx, "reduce_scatter", make_tag(operation::reduce_scatter, combine, all.size()), all,
            mine, &combine);
  const auto block = [all, size = mine.size()](int rank) { return equal_block(all, rank, size); };
  result->add({[mine](int, int) { return mine.size(); }, block},
              [=](const collective_stage& arrivals) {
                arrivals.combine_up_to(block(ctx.rank()), mine, combine, ctx.size() - 1);
              });
  return persistent_collective(std::move(result));
}

}  // namespace onehop
