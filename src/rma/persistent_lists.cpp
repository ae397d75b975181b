#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/persistent_collective.hpp>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "rma/collective_stages.hpp"
#include "rma/mirrored.hpp"
#include "rma/require.hpp"
#include "rma/round_tag.hpp"

namespace onehop {
namespace {

using bytes = std::span<const std::byte>;
using writable_bytes = std::span<std::byte>;

/// Sends number r to rank r, and returns the numbers that this rank receives.
std::vector<std::size_t> swapped(const context& ctx, const std::vector<std::size_t>& numbers) {
  std::vector<std::span<const std::size_t>> one_each;
  for (const std::size_t& number : numbers) one_each.emplace_back(&number, 1);
  std::vector<std::size_t> came;
  for (const auto& list : alltoallv<std::size_t>(ctx, one_each)) came.push_back(list.front());
  return came;
}

/// These are the blocks of one collective, either as listed by the caller or as copied.
struct block_lists {
  std::vector<bytes> send;
  std::vector<writable_bytes> receive;

  std::vector<mirrored_part> parts() const {
    std::vector<mirrored_part> all;
    for (const bytes one : send) all.push_back(read_part(one));
    for (const writable_bytes one : receive) all.push_back(written_part(one));
    return all;
  }
  void move_to(device_mirror& copies) {
    std::size_t part = 0;
    for (bytes& one : send) one = copies.host(part++);
    for (writable_bytes& one : receive) one = copies.host(part++);
  }
};

/// Collective. Throws usage_error on all ranks if the place of a block differs in size from the
/// block sent.
void require_places(const context& ctx, const char* name, const block_lists& lists) {
  std::vector<std::size_t> sizes;
  for (const bytes one : lists.send) sizes.push_back(one.size());
  const std::vector<std::size_t> coming = swapped(ctx, sizes);
  together(ctx, [&] {
    for (int rank = 0; rank < ctx.size(); ++rank)
      if (const std::size_t room = lists.receive[at_rank(rank)].size();
          room != coming[at_rank(rank)])
        throw usage_error(text("rank ", ctx.rank(), ": a persistent ", name, " has room for ",
                               counted(room, "byte"), " from rank ", rank, ", which sends ",
                               coming[at_rank(rank)], ": give as much"));
  });
}

persistent_collective exchange(const context& ctx, const char* name, std::uint64_t tag,
                               block_lists lists) {
  auto made = begin_collective(ctx, name, tag, lists.parts(), nullptr);
  require_places(ctx, name, lists);
  if (made->copies) lists.move_to(*made->copies);
  const auto size = [lists, mine = ctx.rank()](int origin, int target) {
    return origin == mine ? lists.send[at_rank(target)].size()
                          : lists.receive[at_rank(origin)].size();
  };
  const auto source = [lists](int target) { return lists.send[at_rank(target)]; };
  std::vector<std::size_t> places;
  for (int rank = 0; rank < ctx.size(); ++rank)
    places.push_back(place_in({size, source}, rank, ctx.rank()));
  const auto place = [at = swapped(ctx, places)](int target) { return at[at_rank(target)]; };
  made->add({size, source, place}, [lists, ctx](const collective_stage& came) {
    for (int rank = 0; rank < ctx.size(); ++rank) {
      const writable_bytes to = lists.receive[at_rank(rank)];
      const bytes from =
          rank == ctx.rank() || to.empty() ? lists.send[at_rank(rank)] : came.arrived(rank);
      if (from.data() != to.data()) came.copy(from, to);
    }
  });
  return persistent_collective(std::move(made));
}

/// Returns the blocks of a list that has one for each rank.
template <class Bytes>
std::vector<Bytes> require_list(const context& ctx, const char* name, std::span<const Bytes> list) {
  if (list.size() != at_rank(ctx.size()))
    throw usage_error(text("rank ", ctx.rank(), ": a persistent ", name, " of ",
                           counted(list.size(), "block"), " among ", counted(ctx.size(), "rank"),
                           ": give one for each, empty for none"));
  return {list.begin(), list.end()};
}

/// Returns a list with an empty block for every rank.
template <class Bytes>
std::vector<Bytes> nothing(const context& ctx) {
  return std::vector<Bytes>(at_rank(ctx.size()));
}

}  // namespace

persistent_collective persistent_alltoallv(const context& ctx, std::span<const bytes> send,
                                           std::span<const writable_bytes> receive) {
  return exchange(ctx, "alltoallv", make_tag(operation::alltoallv, 0),
                  {require_list(ctx, "alltoallv", send), require_list(ctx, "alltoallv", receive)});
}

persistent_collective persistent_allgatherv(const context& ctx, bytes mine,
                                            std::span<const writable_bytes> all) {
  return exchange(ctx, "allgatherv", make_tag(operation::allgather, 0),
                  {std::vector(at_rank(ctx.size()), mine), require_list(ctx, "allgatherv", all)});
}

persistent_collective persistent_gatherv(const context& ctx, bytes mine,
                                         std::span<const writable_bytes> all, int root) {
  require_root(ctx, root, "persistent gatherv to");
  block_lists lists{nothing<bytes>(ctx), nothing<writable_bytes>(ctx)};
  lists.send[at_rank(root)] = mine;
  if (ctx.rank() == root) lists.receive = require_list(ctx, "gatherv", all);
  return exchange(ctx, "gatherv", make_tag(operation::gatherv, 0, root), std::move(lists));
}

persistent_collective persistent_scatterv(const context& ctx, std::span<const bytes> all,
                                          writable_bytes mine, int root) {
  require_root(ctx, root, "persistent scatterv from");
  block_lists lists{nothing<bytes>(ctx), nothing<writable_bytes>(ctx)};
  if (ctx.rank() == root) lists.send = require_list(ctx, "scatterv", all);
  lists.receive[at_rank(root)] = mine;
  return exchange(ctx, "scatterv", make_tag(operation::scatterv, 0, root), std::move(lists));
}

}  // namespace onehop
