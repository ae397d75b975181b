#pragma once
/// Operations of all ranks together. Each is collective: every rank calls it, in the same order,
/// with the same sizes. Where they differ it throws usage_error naming both; besides, timeout_error
/// at the deadline and peer_error when another rank failed. They read and write the caller's memory
/// only during the call.

#include <onehop/context.hpp>
#include <onehop/reduction.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace onehop {

/// Returns when every rank has entered; stores made before it are visible after it.
void barrier(const context& ctx);

/// Bytes of `root` to every rank; `data` has the same size on all. Throws usage_error for a root
/// outside the job.
void broadcast(const context& ctx, std::span<std::byte> data, int root = 0);

/// Contributions of equal size, gathered in rank order; throws usage_error unless `all` has
/// size * mine.size() bytes.
void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all);

/// An allgather that goes on while its caller does something else: anything but another operation
/// of this header or a commit. Put chains may be started and waited for meanwhile.
class started_allgather {
 public:
  /// Collective; `mine` may be overwritten afterwards.
  started_allgather(const context& ctx, std::span<const std::byte> mine);
  /// Collective, once; `all` as for allgather.
  void finish(std::span<std::byte> all);

 private:
  context ctx_;
  std::vector<std::byte> mine_;
  bool posted_;  ///< short enough for one message, which is on its way
};

/// Blocks of equal size to `root`, in rank order. `all` has size * mine.size() bytes there and is
/// left alone elsewhere.
void gather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all,
            int root = 0);
/// The other way: block r of what `root` has in `all` becomes `mine` of rank r.
void scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
             int root = 0);

/// Where a block from `origin` that has so many bytes is to be written, in one piece; asked once
/// for each rank that sends any. It must not be collective.
using receive_place = std::function<std::span<std::byte>(int origin, std::size_t bytes)>;

/// Block r of `send`, which has one for each rank, goes to rank r. Sizes differ as they like, 0
/// included, and need not be known to the receivers. Throws usage_error, once all blocks have been
/// taken, where a place is not as long as what comes.
///
/// Every pair of ranks exchanges a flag even where it has nothing to send.
void alltoallv(const context& ctx, std::span<const std::span<const std::byte>> send,
               const receive_place& place);

/// Every rank's values combined with every other's, element by element, in place. Besides the fixed
/// order, sums of doubles over MPI know the fast one, that of MPI_Allreduce, which takes fewer
/// messages from some ranks on; ranks that make different calls, or give different sizes, while one
/// of them is in it get timeout_error at the deadline or the error of MPI. Everywhere else both
/// orders are the same. Throws usage_error for bits of floating-point numbers.
void allreduce(const context& ctx, std::span<std::byte> values, const combiner& combine,
               sum_order order = sum_order::fixed);
/// The same, but for `root` alone: what the others' values hold afterwards is undefined.
void reduce(const context& ctx, std::span<std::byte> values, const combiner& combine, int root = 0);
/// Block r of what all ranks give in `all`, combined, becomes `mine` of rank r. `all` has
/// size * mine.size() bytes.
void reduce_scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
                    const combiner& combine);
/// Each rank gets what the ranks from 0 to itself give, combined in rank order, in place.
void scan(const context& ctx, std::span<std::byte> values, const combiner& combine);
/// Without its own: rank 0 keeps what `values` hold.
void exclusive_scan(const context& ctx, std::span<std::byte> values, const combiner& combine);

template <class T>
void allreduce(const context& ctx, std::span<T> values, reduction kind = reduction::sum,
               sum_order order = sum_order::fixed) {
  allreduce(ctx, std::as_writable_bytes(values), combiner_of<T>(kind), order);
}
template <class T>
void reduce(const context& ctx, std::span<T> values, reduction kind = reduction::sum,
            int root = 0) {
  reduce(ctx, std::as_writable_bytes(values), combiner_of<T>(kind), root);
}
template <class T>
void reduce_scatter(const context& ctx, std::span<const T> all, std::span<T> mine,
                    reduction kind = reduction::sum) {
  reduce_scatter(ctx, std::as_bytes(all), std::as_writable_bytes(mine), combiner_of<T>(kind));
}
template <class T>
void scan(const context& ctx, std::span<T> values, reduction kind = reduction::sum) {
  scan(ctx, std::as_writable_bytes(values), combiner_of<T>(kind));
}
template <class T>
void exclusive_scan(const context& ctx, std::span<T> values, reduction kind = reduction::sum) {
  exclusive_scan(ctx, std::as_writable_bytes(values), combiner_of<T>(kind));
}

/// Sums element by element, as allreduce does.
inline void allreduce_sum(const context& ctx, std::span<double> values,
                          sum_order order = sum_order::fixed) {
  allreduce(ctx, values, reduction::sum, order);
}
/// The largest, element by element; not a number where any rank gives that.
inline void allreduce_max(const context& ctx, std::span<double> values) {
  allreduce(ctx, values, reduction::max);
}

/// Gathers one value of each rank, in rank order.
template <class T>
std::vector<T> allgather(const context& ctx, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(ctx.size()));
  allgather(ctx, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// List r of `lists`, which has one for each rank, goes to rank r; element r of the result is what
/// came from rank r.
template <class T>
std::vector<std::vector<T>> alltoallv(const context& ctx,
                                      std::span<const std::span<const T>> lists) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::span<const std::byte>> send;
  for (const std::span<const T> list : lists) send.push_back(std::as_bytes(list));
  std::vector<std::vector<T>> received(static_cast<std::size_t>(ctx.size()));
  alltoallv(ctx, send, [&](int origin, std::size_t bytes) {
    std::vector<T>& list = received[static_cast<std::size_t>(origin)];
    list.resize(bytes / sizeof(T));
    return std::as_writable_bytes(std::span(list));
  });
  return received;
}
/// The lists of all ranks, which differ in length as they like.
template <class T>
std::vector<std::vector<T>> allgatherv(const context& ctx, std::span<const T> mine) {
  return alltoallv<T>(ctx, std::vector(static_cast<std::size_t>(ctx.size()), mine));
}

/// Runs `check` on every rank; if it throws on any, every rank throws the error of the lowest
/// failing rank, same class and same message, so that a failure on one rank never leaves the others
/// waiting. `check` itself must not be collective.
void together(const context& ctx, const std::function<void()>& check);

}  // namespace onehop
