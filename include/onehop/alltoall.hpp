#pragma once
/// An alltoall is declared once, like a put chain, and can then run repeatedly: every rank sends a
/// block to every rank.

#include <onehop/put_chain.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace onehop {

/// An alltoall_schedule says on which route the blocks travel.
///
/// pairwise: every block goes straight to its target, in size-1 puts per rank, in an order in which
/// no two ranks send to the same rank. In step k, rank r and rank r xor k send to each other, or
/// rank r sends to rank r + k if the number of ranks is not a power of two. This sends the fewest
/// bytes and is best where a put costs little, as in shared memory.
///
/// dissemination: in round k of ceil(log2 size) rounds, all blocks whose remaining distance has the
/// bit 2^k move on to rank + 2^k (Bruck, Ho, Kipnis, Upfal, Weathersby 1997). This sends the fewest
/// messages and is best for small blocks on transports where a message costs much.
///
/// staged: blocks are copied to memory that is exposed for all collectives, exchanged, and copied
/// from there. On virtual machines with device memory, the exposed memory is on the host, and
/// copies and messages overlap block by block (A. Singh et al., PPAC 2011).
enum class alltoall_schedule { pairwise, dissemination, staged };

/// Returns the schedule with this name. Throws usage_error for any other name.
alltoall_schedule alltoall_schedule_named(std::string_view name);

class alltoall {
 public:
  /// Makes an alltoall; collective, with the same arguments on every rank. Throws usage_error for
  /// blocks of 0 bytes, and whatever put_chain::commit throws.
  alltoall(const context& ctx, std::size_t block_bytes,
           alltoall_schedule schedule = alltoall_schedule::pairwise);
  alltoall(alltoall&&) = default;
  alltoall& operator=(alltoall&&) = default;

  /// Exchanges the blocks; collective. Block r of `send` goes to rank r; block r of `receive` comes
  /// from rank r. Throws usage_error unless both have size * block_bytes bytes. Allocates nothing.
  void run(std::span<const std::byte> send, std::span<std::byte> receive);

  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  /// A message carries its blocks together over one hop.
  struct message {
    std::vector<int> blocks;
    put_slot slot;
    notification arrival;
  };
  struct round {
    put_chain chain;
    std::vector<message> messages;
  };

  /// A hop names the blocks of one message of a round, and the distance that it travels, in the
  /// order of `target_of`.
  struct hop {
    int distance;
    std::vector<int> blocks;
  };
  static std::vector<std::vector<hop>> plan(int ranks, alltoall_schedule schedule);
  /// Return the rank to which this rank sends over a distance, and the rank from which it receives
  /// over the same distance.
  int target_of(int distance) const noexcept;
  int origin_of(int distance) const noexcept;
  round make_round(const window& memory, const std::vector<hop>& hops, std::size_t& offset) const;
  void carry(round& r);
  void make_pieces();
  void run_staged(std::span<const std::byte> send, std::span<std::byte> receive);

  context ctx_;
  std::size_t block_bytes_;
  bool is_staged_, is_by_pairs_;
  std::vector<std::byte> piece_;  ///< one piece of a block, for transports whose messages cannot
                                  ///< hold whole blocks
  std::vector<round> rounds_;
  /// Block i, on its way to the rank at distance i, now lies at blocks_[i].
  std::vector<const std::byte*> blocks_;
};

}  // namespace onehop
