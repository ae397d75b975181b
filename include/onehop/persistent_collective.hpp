#pragma once
/// A persistent collective is made once for memory of the caller, and can then be started and
/// waited for repeatedly, with other work of the rank in between. It consists of one or two put
/// chains.

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
/// From start to wait the caller must neither access what the collective writes, nor write what it
/// reads. The memory stays the caller's and must live as long as the collective. Any number of them
/// may be in progress at once, also beside put chains and other collectives. A collective of two
/// exchanges continues with the second while this rank waits or tests for anything. It belongs to
/// the thread that made it.
///
/// Device memory is accepted once set_collective_stream has named its stream; each start is ordered
/// after the work on it. From 64 KiB on, if all memory of all ranks lies on devices of one machine
/// whose streams can wait for each other (put_chain::wait_on_stream), start enqueues all of the
/// work: puts between devices, and kernels that combine in rank order. All ranks must then start
/// the collectives they have in progress in the same order. Otherwise the collective works on
/// copies in pinned host memory. The results have the same bits in both cases.
class persistent_collective {
 public:
  struct state;  ///< internal, not for callers

  explicit persistent_collective(std::unique_ptr<state> made);
  ~persistent_collective();
  persistent_collective(persistent_collective&&) noexcept;
  persistent_collective& operator=(persistent_collective&&) noexcept;

  /// Starts the collective; every rank must call it equally often. Waits only for a rank that is
  /// two starts behind, which can happen if data flow in one direction, as in a broadcast. Throws
  /// usage_error while the collective is in progress, otherwise as put_chain::start.
  void start();
  /// Waits until the result is there. Throws usage_error without a start, timeout_error at the
  /// deadline, peer_error if another rank failed.
  void wait();
  /// Returns true if wait would return at once; such a test replaces the wait. Never blocks. Throws
  /// usage_error before the first start.
  bool test();
  /// Returns one line that says where the collective runs and, for device memory, why it does not
  /// run on the devices if it does not.
  std::string describe() const;

 private:
  std::unique_ptr<state> state_;
};

/// The functions below are collective and take the same sizes on every rank. They throw
/// usage_error, naming both sides, if the ranks' calls differ, and otherwise what window::allocate
/// and put_chain::commit throw.

/// Combines the values of all ranks element by element, in place, with the same bits as allreduce.
/// Values of more than 8192 bytes are combined in blocks, one on each rank, and then gathered.
persistent_collective persistent_allreduce(const context& ctx, std::span<std::byte> values,
                                           const combiner& combine);
/// Combines as persistent_allreduce does, for `root` only; on the other ranks the values are
/// undefined afterwards.
persistent_collective persistent_reduce(const context& ctx, std::span<std::byte> values,
                                        const combiner& combine, int root = 0);
/// Combines in place: each rank gets the values of the ranks from 0 to itself, combined in rank
/// order. Every rank sends its values to each higher rank, in one exchange.
persistent_collective persistent_scan(const context& ctx, std::span<std::byte> values,
                                      const combiner& combine);
/// Combines as persistent_scan does, but without this rank's own values; rank 0 keeps its own.
persistent_collective persistent_exclusive_scan(const context& ctx, std::span<std::byte> values,
                                                const combiner& combine);
/// Copies the bytes of `root` to every rank.
persistent_collective persistent_broadcast(const context& ctx, std::span<std::byte> data,
                                           int root = 0);
/// Gathers one block of each rank in `all`, in place: rank r provides block r. Throws usage_error
/// unless all blocks have the same size.
persistent_collective persistent_allgather(const context& ctx, std::span<std::byte> all);
/// Gathers blocks of equal size at `root`, in rank order. `all` must not overlap `mine`; it has
/// size * mine.size() bytes at `root` and is not accessed on other ranks.
persistent_collective persistent_gather(const context& ctx, std::span<const std::byte> mine,
                                        std::span<std::byte> all, int root = 0);
/// Scatters `all` of `root`: its block r becomes `mine` of rank r. `mine` must not overlap `all`.
persistent_collective persistent_scatter(const context& ctx, std::span<const std::byte> all,
                                         std::span<std::byte> mine, int root = 0);
/// Sends block r of `send` to rank r, and receives block r of `receive` from it; the two must not
/// overlap.
persistent_collective persistent_alltoall(const context& ctx, std::span<const std::byte> send,
                                          std::span<std::byte> receive);
/// Sends block r of `send` to rank r, and receives block r of `receive` from it. A block has the
/// same size at its sender and its receiver, which may be 0. Both have one block for each rank and
/// must not overlap. Throws usage_error on every rank, naming both sides, if a place does not have
/// the length of the block that arrives. For blocks whose sizes change between starts, use your own
/// put chain with put::packed_up_to.
persistent_collective persistent_alltoallv(const context& ctx,
                                           std::span<const std::span<const std::byte>> send,
                                           std::span<const std::span<std::byte>> receive);
/// Gathers `mine` of every rank, of any size, into that rank's block of `all`. `mine` may be this
/// block itself.
persistent_collective persistent_allgatherv(const context& ctx, std::span<const std::byte> mine,
                                            std::span<const std::span<std::byte>> all);
/// Gathers as persistent_allgatherv does, but only at `root`; `all` is not read on other ranks.
persistent_collective persistent_gatherv(const context& ctx, std::span<const std::byte> mine,
                                         std::span<const std::span<std::byte>> all, int root = 0);
/// Scatters blocks of any size: block r of `all` of `root` becomes `mine` of rank r. `all` is not
/// read on other ranks.
persistent_collective persistent_scatterv(const context& ctx,
                                          std::span<const std::span<const std::byte>> all,
                                          std::span<std::byte> mine, int root = 0);
/// Combines `all` of all ranks; block r of the result becomes `mine` of rank r. `mine` must not
/// overlap `all`.
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
