#pragma once
/// An alltoall is declared once, as a put chain is, and then run again and again: every rank sends
/// a block to every rank.

#include <onehop/put_chain.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace onehop {

/// An alltoall_schedule says by which way blocks travel.
/// pairwise: every block goes straight to its target in size-1 puts per rank, in an order in which
/// no two ranks send to the same one: in step k rank r and rank r xor k to each other, or rank r to
/// rank r + k where the ranks are not a power of two. It sends the fewest bytes and is best where a
/// put costs little, as in shared memory. dissemination: in round k of ceil(log2 size) rounds all
/// blocks whose remaining distance has the bit 2^k go on to rank + 2^k (Bruck, Ho, Kipnis, Upfal,
/// Weathersby 1997). It sends the fewest messages and is best for small blocks on transports where
/// a message costs much. staged: blocks are copied to memory that is exposed for all collectives,
/// exchanged, and copied from there. On virtual machines with device memory the exposed memory is
/// the host's, and copies and messages overlap block by block (A. Singh et al., PPAC 2011).
enum class alltoall_schedule { pairwise, dissemination, staged };

/// Returns the schedule of this name; throws usage_error for any other name.
alltoall_schedule alltoall_schedule_named(std::string_view name);

class alltoall {
 public:
  /// The constructor is collective and takes the same arguments on every rank; it throws
  /// usage_error for blocks of 0 bytes and whatever put_chain::commit throws.
  alltoall(const context& ctx, std::size_t block_bytes,
           alltoall_schedule schedule = alltoall_schedule::pairwise);
  alltoall(alltoall&&) = default;
  alltoall& operator=(alltoall&&) = default;

  /// Exchanges the blocks; collective. Block r of `send` goes to rank r; block r of `receive` comes
  /// from rank r. Both have size * block_bytes bytes; throws usage_error otherwise. Allocates
  /// nothing.
  void run(std::span<const std::byte> send, std::span<std::byte> receive);

  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  /// A message carries its blocks together by one hop.
  struct message {
    std::vector<int> blocks;
    put_slot slot;
    notification arrival;
  };
  struct round {
    put_chain chain;
    std::vector<message> messages;
  };

  /// A hop names the blocks of one message of a round, and how far it goes in the order of
  /// `target_of`.
  struct hop {
    int distance;
    std::vector<int> blocks;
  };
  static std::vector<std::vector<hop>> plan(int ranks, alltoall_schedule schedule);
  /// Returns where this rank sends over a distance, and from where it gets such a message.
  int target_of(int distance) const noexcept;
  int origin_of(int distance) const noexcept;
  round make_round(const window& memory, const std::vector<hop>& hops, std::size_t& offset) const;
  void carry(round& r);
  void make_pieces();
  void run_staged(std::span<const std::byte> send, std::span<std::byte> receive);

  context ctx_;
  std::size_t block_bytes_;
  bool is_staged_, is_by_pairs_;
  std::vector<std::byte> piece_;  ///< one block cut to a piece, where messages cannot take whole
                                  ///< blocks
  std::vector<round> rounds_;
  /// Each block lies here now; block i is on its way to the rank at distance i.
  std::vector<const std::byte*> blocks_;
};

}  // namespace onehop
