#pragma once
/// Every rank sends a block to every rank, again and again: declared once, as a put chain is.

#include <onehop/put_chain.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace onehop {

/// pairwise: every block goes straight to its target, size-1 puts per rank. Least bytes; best where
/// a put costs little, as in shared memory.
/// dissemination: ceil(log2 size) rounds, in round k all blocks whose way still has 2^k in it go on
/// to rank + 2^k (Bruck, Ho, Kipnis, Upfal, Weathersby 1997). Fewest messages; best for small
/// blocks on transports where a message costs much.
/// staged: through memory that is exposed for all collectives: copied there, exchanged, copied from
/// there. On virtual machines with device memory that is the host's: copies and messages overlap in
/// blocks (A. Singh et al., PPAC 2011).
enum class alltoall_schedule { pairwise, dissemination, staged };

/// Throws usage_error for any other name.
alltoall_schedule alltoall_schedule_named(std::string_view name);

class alltoall {
 public:
  /// Collective, with the same arguments on every rank; throws usage_error for blocks of 0 bytes
  /// and what put_chain::commit throws.
  alltoall(const context& ctx, std::size_t block_bytes,
           alltoall_schedule schedule = alltoall_schedule::pairwise);
  alltoall(alltoall&&) = default;
  alltoall& operator=(alltoall&&) = default;

  /// Collective. Block r of `send` goes to rank r; block r of `receive` comes from rank r. Both
  /// have size * block_bytes bytes; throws usage_error otherwise. Allocates nothing.
  void run(std::span<const std::byte> send, std::span<std::byte> receive);

  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  /// Blocks that travel together, from rank - distance to rank + distance.
  struct message {
    std::vector<int> blocks;
    put_slot slot;
    notification arrival;
  };
  struct round {
    put_chain chain;
    std::vector<message> messages;
  };

  /// The distance and the blocks of each message of each round.
  struct hop {
    int distance;
    std::vector<int> blocks;
  };
  static std::vector<std::vector<hop>> plan(int ranks, alltoall_schedule schedule);
  round make_round(const window& memory, const std::vector<hop>& hops, std::size_t& offset) const;
  void carry(round& r);
  void make_pieces();
  void run_staged(std::span<const std::byte> send, std::span<std::byte> receive);

  context ctx_;
  std::size_t block_bytes_;
  bool is_staged_;
  std::vector<std::byte> piece_;  ///< of every block, where messages cannot take whole ones
  std::vector<round> rounds_;
  /// Each block lies here now; block i is on its way from rank s to rank s + i.
  std::vector<const std::byte*> blocks_;
};

}  // namespace onehop
