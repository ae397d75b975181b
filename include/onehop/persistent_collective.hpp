#pragma once
/// A persistent collective is made once for memory of the caller, and then started and waited for
/// again and again, with other work of the rank in between. It is a put chain, or two.

#include <onehop/context.hpp>
#include <onehop/reduction.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace onehop {

/// A persistent_collective is made by one of the functions below.
///
///     onehop::persistent_collective sum = onehop::persistent_allreduce(ctx, std::span(values));
///     sum.start();  other_work();  sum.wait();
///
/// From start to wait the caller neither reads nor writes what the collective writes, nor writes
/// what it reads; the memory stays the caller's and must live as long. Any number of them may be
/// under way at once, beside put chains and other collectives. One that takes two exchanges goes on
/// to the second while this rank waits or tests for anything. It belongs to the thread that made
/// it.
///
/// Memory of a device is taken where set_collective_stream has named its stream, which each start
/// follows. From 64 KiB on, where all memory of all ranks lies on devices of one machine whose
/// streams can wait for each other (put_chain::wait_on_stream), start enqueues all of it: puts from
/// device to device, and kernels that combine in rank order. Ranks then start those that they have
/// under way in the same order. Elsewhere it works on copies in pinned memory of the host; results
/// have the same bits.
class persistent_collective {
 public:
  struct state;  ///< not for callers

  explicit persistent_collective(std::unique_ptr<state> made);
  ~persistent_collective();
  persistent_collective(persistent_collective&&) noexcept;
  persistent_collective& operator=(persistent_collective&&) noexcept;

  /// Starts it; every rank does so equally often. Waits only for a rank that is two starts behind,
  /// which can be where data go one way, as in a broadcast. Throws usage_error while it is under
  /// way, otherwise as put_chain::start.
  void start();
  /// Waits until the result is there. Throws usage_error without a start, timeout_error at the
  /// deadline, peer_error when another rank failed.
  void wait();
  /// Returns true when wait would return at once, and then replaces it; never blocks. Throws
  /// usage_error before the first start.
  bool test();
  /// Returns, in one line, where it is done, and why not by devices where its memory is theirs.
  std::string describe() const;

 private:
  std::unique_ptr<state> state_;
};

/// These are collective and take the same sizes on every rank. They throw usage_error, naming both
/// sides, where the ranks' calls differ, and otherwise what window::allocate and put_chain::commit
/// throw.

/// Combines every rank's values element by element, in place, with the bits of allreduce. Values of
/// more than 8192 bytes are combined block by block, each on one rank, and then gathered.
persistent_collective persistent_allreduce(const context& ctx, std::span<std::byte> values,
                                           const combiner& combine);
/// Combines as persistent_allreduce does, for `root` alone: the values of the other ranks are
/// undefined afterwards.
persistent_collective persistent_reduce(const context& ctx, std::span<std::byte> values,
                                        const combiner& combine, int root = 0);
/// Combines in place: each rank gets the values of the ranks from 0 to itself, combined in rank
/// order. Every rank sends its values to each above it, in one exchange.
persistent_collective persistent_scan(const context& ctx, std::span<std::byte> values,
                                      const combiner& combine);
/// Combines as persistent_scan does, without this rank's own values; rank 0 keeps its own.
persistent_collective persistent_exclusive_scan(const context& ctx, std::span<std::byte> values,
                                                const combiner& combine);
/// Copies the bytes of `root` to every rank.
persistent_collective persistent_broadcast(const context& ctx, std::span<std::byte> data,
                                           int root = 0);
/// Gathers a block of every rank in `all`, in place: block r is what rank r gives. Throws
/// usage_error unless all blocks have the same size.
persistent_collective persistent_allgather(const context& ctx, std::span<std::byte> all);
/// Gathers blocks of equal size at `root`, in rank order. `all`, which does not overlap `mine`, has
/// size * mine.size() bytes there and is not touched elsewhere.
persistent_collective persistent_gather(const context& ctx, std::span<const std::byte> mine,
                                        std::span<std::byte> all, int root = 0);
/// Scatters what `root` has in `all`, which `mine` does not overlap: its block r becomes `mine` of
/// rank r.
persistent_collective persistent_scatter(const context& ctx, std::span<const std::byte> all,
                                         std::span<std::byte> mine, int root = 0);
/// Sends block r of `send` to rank r, from which block r of `receive` comes; they do not overlap.
persistent_collective persistent_alltoall(const context& ctx, std::span<const std::byte> send,
                                          std::span<std::byte> receive);
/// Sends block r of `send` to rank r, from which block r of `receive` comes, of the same size there
/// and here, 0 included. Both have a block for each rank; they do not overlap. Throws usage_error
/// on every rank, naming both sides, where a place is not as long as the block that comes. Blocks
/// whose sizes change from start to start are puts of a put chain of their own
/// (put::packed_up_to).
persistent_collective persistent_alltoallv(const context& ctx,
                                           std::span<const std::span<const std::byte>> send,
                                           std::span<const std::span<std::byte>> receive);
/// Gathers `mine` of every rank, of any size, in its block of `all`, which `mine` may be.
persistent_collective persistent_allgatherv(const context& ctx, std::span<const std::byte> mine,
                                            std::span<const std::span<std::byte>> all);
/// Gathers so at `root`; elsewhere `all` is not looked at.
persistent_collective persistent_gatherv(const context& ctx, std::span<const std::byte> mine,
                                         std::span<const std::span<std::byte>> all, int root = 0);
/// Block r of `all`, which `root` gives and which is not looked at elsewhere, becomes `mine` of
/// rank r.
persistent_collective persistent_scatterv(const context& ctx,
                                          std::span<const std::span<const std::byte>> all,
                                          std::span<std::byte> mine, int root = 0);
/// Combines what all ranks give in `all`; block r of the result becomes `mine` of rank r, which
/// does not overlap `all`.
persistent_collective persistent_reduce_scatter(const context& ctx, std::span<const std::byte> all,
                                                std::span<std::byte> mine, const combiner& combine);

template <class T>
persistent_collective persistent_allreduce(const context& ctx, std::span<T> values,
                                           reduction kind = reduction::sum) {
  return persistent_allreduce(ctx, std::as_writable_bytes(values), combiner_of<T>(kind));
}
template <class T>
persistent_collective persistent_reduce(const context& ctx, std::span<T> values,
                                        reduction kind = reduction::sum, int root = 0) {
  return persistent_reduce(ctx, std::as_writable_bytes(values), combiner_of<T>(kind), root);
}
template <class T>
persistent_collective persistent_scan(const context& ctx, std::span<T> values,
                                      reduction kind = reduction::sum) {
  return persistent_scan(ctx, std::as_writable_bytes(values), combiner_of<T>(kind));
}
template <class T>
persistent_collective persistent_exclusive_scan(const context& ctx, std::span<T> values,
                                                reduction kind = reduction::sum) {
  return persistent_exclusive_scan(ctx, std::as_writable_bytes(values), combiner_of<T>(kind));
}
template <class T>
persistent_collective persistent_reduce_scatter(const context& ctx, std::span<const T> all,
                                                std::span<T> mine,
                                                reduction kind = reduction::sum) {
  return persistent_reduce_scatter(ctx, std::as_bytes(all), std::as_writable_bytes(mine),
                                   combiner_of<T>(kind));
}

}  // namespace onehop
