#pragma once
/// A schedule is a collective written as lists of messages that every rank of a virtual machine
/// goes through.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace onehop::netsim {

/// `nobody` stands in place of a rank.
inline constexpr int nobody = -1;

/// A schedule_step is one step of one rank: what it sends, and from whom it must have heard before
/// its next step. The n-th step that hears from a rank takes the n-th message that this rank sends
/// to it.
struct schedule_step {
  int to = nobody;
  std::size_t bytes = 0;  ///< bytes sent
  int from = nobody;
  bool combines = false;  ///< what is heard is added to what is there
  std::size_t heard = 0;  ///< bytes heard
  /// A copy is a separate step: it copies `bytes` to the host, before the next step, or back from
  /// it, while the next steps proceed.
  enum class copy : std::uint8_t { none, out, in } copies = copy::none;
  /// A rank does the steps of two lists concurrently; this is the number of the list.
  std::uint8_t lane = 0;
  /// The next step begins when the data being sent may be overwritten.
  bool blocks = false;
  /// The next step begins when the data being sent may be overwritten, even for a message without a
  /// handshake, because the program requests a notification of its own.
  bool awaits_source = false;
};
using step_list = std::vector<schedule_step>;

enum class collective { barrier, broadcast, allgather, allreduce, alltoall };

/// Returns the collective with this name; throws usage_error for an unknown name.
collective collective_named(std::string_view name);

/// A schedule_kind is the algorithm of a collective, for one or more collectives each:
///   dissemination       barrier, allgather (Bruck), allreduce: log2 ranks steps of doubled
///                       distance
///   recursive_doubling  allgather, allreduce: pairs, pairs of pairs, ...; an allgather uses
///                       dissemination if the ranks are not a power of two
///   reduce_scatter      allreduce: halves of halves are summed, then gathered by doubling
///                       (Rabenseifner); recursive doubling for less than one number per rank
///   ring                allgather, allreduce: to the next rank, ranks - 1 times (twice for a sum)
///   linear              broadcast, allgather, barrier: everyone to all, at once
///   k_nomial            broadcast: a tree of `fan` children per level, the farthest first; the
///                       binomial tree for a fan of 1
///   chain               broadcast: from rank to rank
///   scatter_allgather   broadcast: parts down a binomial tree, to the next child once the part of
///                       the previous one has left, then round a ring
///   pairwise            alltoall: to the previous rank, the one before that, ..., and at the same
///                       time from the following ranks; a rank's own part to itself
/// If the ranks are not a power of two, sums by halving or doubling begin with pairs, of which one
/// rank continues, and end by sending the total to the other. Source: Thakur, Rabenseifner, Gropp,
/// IJHPCA 19 (2005) 49; Hensgen, Finkel, Manber, IJPP 17 (1988) 1 for dissemination.
enum class schedule_kind {
  automatic,
  dissemination,
  recursive_doubling,
  reduce_scatter,
  ring,
  linear,
  k_nomial,
  chain,
  scatter_allgather,
  pairwise
};

/// Returns the kind with this name, with dashes or underscores, or for "binomial" or "auto"; throws
/// usage_error for any other name.
schedule_kind schedule_named(std::string_view name);

/// Returns the name that schedule_named takes.
std::string_view name_of(schedule_kind kind);

/// A tree_shape gives the number of children in a tree, and how much goes down it at once.
struct tree_shape {
  int fan = 1;
  std::size_t segment = 0;  ///< bytes a rank passes on while the next arrive; 0: all at once
};

/// Returns the steps of `rank`. `bytes` is the contribution of one rank; `root` and `shape` matter
/// only for broadcast. Throws usage_error for a kind that the collective does not have.
step_list make_schedule(collective what, schedule_kind kind, int ranks, int rank, std::size_t bytes,
                        int root = 0, tree_shape shape = {});

}  // namespace onehop::netsim
