#pragma once
/// Collectives as lists of messages: the same steps on every wire, real or virtual.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace onehop {

/// One step of one rank: what it sends, and from whom it must have heard before its next step. The
/// n-th step of a rank hears from the n-th message that the other addresses to it.
struct schedule_step {
  static constexpr int nobody = -1;
  int to = nobody;
  std::size_t bytes = 0;  ///< sent
  int from = nobody;
  bool combines = false;  ///< what is heard is summed to what is there
  std::size_t heard = 0;  ///< bytes
  /// By itself: `bytes` are copied to the host, before the next step, or back from it, while the
  /// next steps go on.
  enum class copy : std::uint8_t { none, out, in } copies = copy::none;
  /// Of the two lists in which a rank does its steps beside each other.
  std::uint8_t lane = 0;
};
using step_list = std::vector<schedule_step>;

enum class collective { barrier, broadcast, allgather, allreduce, alltoall };

/// What a collective is made of.
///   dissemination       barrier, allgather (Bruck), allreduce: log2 ranks steps of doubling
///   distance recursive_doubling  allgather, allreduce: pairs, pairs of pairs, ...; dissemination
///   where the
///                       ranks are no power of two
///   ring                allgather, allreduce: to the next rank, ranks - 1 times (twice for a sum)
///   linear              broadcast, allgather, barrier: everyone to all, at once
///   k_nomial            broadcast: a tree of `fan` children per level, the farthest first; the
///                       binomial tree for a fan of 1
///   chain               broadcast: from rank to rank
///   scatter_allgather   broadcast: parts down a binomial tree, then round a ring
/// Source: Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005) 49; Hensgen, Finkel, Manber, IJPP 17
/// (1988) 1 for dissemination.
enum class schedule_kind {
  automatic,
  dissemination,
  recursive_doubling,
  ring,
  linear,
  k_nomial,
  chain,
  scatter_allgather
};

/// `name` as above, with dashes or not, "binomial" or "auto"; throws usage_error for any other.
schedule_kind schedule_named(std::string_view name);

/// The steps of `rank`. `bytes` is what one rank contributes; `root` matters for broadcast only.
/// Throws usage_error for a kind that the collective does not know.
step_list make_schedule(collective what, schedule_kind kind, int ranks, int rank, std::size_t bytes,
                        int root = 0, int fan = 1);

/// The same with data that lie in the memory of a device: copied to the host, and the result back.
step_list staged(step_list among_hosts, collective what, int ranks, int rank, std::size_t bytes,
                 int root = 0);

/// An alltoall of device memory, `bytes` from each to each. Copies to the host hold the parts for
/// as many ranks as `copy_bytes` do (0: all), and each message goes as soon as its part is there;
/// copies back hold as many, and each begins as soon as all that it brings has come, a rank's own
/// part in a message to itself.
/// Source: dynamic staging of A. Singh et al., PPAC 2011 (IEEE Cluster 2011 workshops).
step_list staged_alltoall(int ranks, int rank, std::size_t bytes, std::size_t copy_bytes);

}  // namespace onehop
