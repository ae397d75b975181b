#pragma once
/// Collectives are operations of all ranks together: every rank calls them, in the same order, with
/// the same sizes. If the calls differ, they throw usage_error naming both; they throw
/// timeout_error at the deadline and peer_error if another rank failed. They read and write the
/// caller's memory only during the call. This is host memory, or device memory once its stream has
/// been named with <onehop/collective_stream.hpp>.

#include <onehop/context.hpp>
#include <onehop/reduction.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace onehop {

/// Waits until every rank has entered. Stores made before the barrier are visible after it.
void barrier(const context& ctx);

/// Copies the bytes of `root` to every rank; `data` has the same size on all. A rank returns once
/// it has the bytes, so the root may be some broadcasts ahead of the others. If the calls differ,
/// in their roots too, this broadcast throws; on a rank that was a root before the others arrived,
/// one of its next operations throws. Throws usage_error for a root outside the job.
void broadcast(const context& ctx, std::span<std::byte> data, int root = 0);

/// Gathers contributions of equal size on every rank, in rank order. Throws usage_error unless
/// `all` has size * mine.size() bytes.
void allgather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all);

/// A started_allgather continues while its caller does something else, except another operation of
/// this header or a commit. Put chains may be started and waited for meanwhile.
class started_allgather {
 public:
  /// Starts the allgather; collective. `mine` may be overwritten afterwards.
  started_allgather(const context& ctx, std::span<const std::byte> mine);
  /// Waits for the contributions and writes them to `all` in rank order; `all` has size *
  /// mine.size() bytes. Collective, once for each start.
  void finish(std::span<std::byte> all);

 private:
  context ctx_;
  std::vector<std::byte> mine_;
  bool posted_;  ///< true if the contribution fits one message, which was sent at the start
};

/// Gathers blocks of equal size at `root`, in rank order. `all` has size * mine.size() bytes there
/// and is not accessed on other ranks.
void gather(const context& ctx, std::span<const std::byte> mine, std::span<std::byte> all,
            int root = 0);
/// Scatters `all` of `root`: its block r becomes `mine` of rank r.
void scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
             int root = 0);

/// A receive_place returns where to write a block of `bytes` bytes from `origin`, as one contiguous
/// piece. It is called once for each rank that sends any bytes, and must not be collective.
using receive_place = std::function<std::span<std::byte>(int origin, std::size_t bytes)>;

/// Sends block r of `send`, which has one block for each rank, to rank r. Blocks may differ in
/// size, 0 included, and receivers need not know the sizes. If a place does not have the length of
/// its block, throws usage_error after all blocks have been received.
///
/// Every pair of ranks exchanges a flag even if it has nothing to send.
void alltoallv(const context& ctx, std::span<const std::span<const std::byte>> send,
               const receive_place& place);

/// Gathers the blocks of all ranks at `root`. The blocks may differ in size, 0 included, and `root`
/// need not know the sizes. `place` is called on `root` only. Throws usage_error as alltoallv does.
void gatherv(const context& ctx, std::span<const std::byte> mine, const receive_place& place,
             int root = 0);
/// Scatters blocks that may differ in size, 0 included: block r of `send` goes to rank r. `send`
/// has one block for each rank at `root` and is not read on other ranks. Receivers need not know
/// the sizes; `place` is called on ranks that receive any bytes. Throws usage_error as alltoallv
/// does.
void scatterv(const context& ctx, std::span<const std::span<const std::byte>> send,
              const receive_place& place, int root = 0);

/// A receive_block takes a block that came from `origin`; its bytes may be read only during the
/// call. It must not be collective.
using receive_block = std::function<void(int origin, std::span<const std::byte> bytes)>;

/// Sends block i of `blocks` to rank destinations[i]. Only the sender needs to know the
/// destinations: any ranks, any number of them, in any order, repeated or including this rank
/// itself. `take` is called for each block that arrives, sorted by origin, and for one origin in
/// the order in which it gave them. Throws usage_error unless there are as many destinations as
/// blocks, and for a rank outside the job.
///
/// A block is forwarded from rank to rank in at most log2(size) hops, combined with others. A
/// rank's memory and number of messages therefore grow as log2(size), while those of alltoallv grow
/// as size.
void sparse_exchange(const context& ctx, std::span<const int> destinations,
                     std::span<const std::span<const std::byte>> blocks, const receive_block& take);

/// Combines the values of all ranks, element by element, in place. sum_order::fast differs from the
/// fixed order only for sums of doubles over MPI: it calls MPI_Allreduce, which takes fewer
/// messages once there are enough ranks. If ranks make different calls or give different sizes
/// while one of them is in that MPI call, they get timeout_error at the deadline or the error of
/// MPI. Throws usage_error for bit operations on floating-point numbers.
void allreduce(const context& ctx, std::span<std::byte> values, const combiner& combine,
               sum_order order = sum_order::fixed);
/// Combines the values of all ranks as allreduce does, for `root` only; on the other ranks the
/// values are undefined afterwards.
void reduce(const context& ctx, std::span<std::byte> values, const combiner& combine, int root = 0);
/// Combines `all` of all ranks; block r of the result becomes `mine` of rank r. `all` has size *
/// mine.size() bytes.
void reduce_scatter(const context& ctx, std::span<const std::byte> all, std::span<std::byte> mine,
                    const combiner& combine);
/// Combines in place: each rank gets the values of the ranks from 0 to itself, combined in rank
/// order.
void scan(const context& ctx, std::span<std::byte> values, const combiner& combine);
/// Combines in place: each rank gets the values of the ranks before it, combined in rank order.
/// Rank 0 keeps its own values.
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
/// Takes the largest value of all ranks, element by element. The result is NaN if any rank gives
/// NaN.
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

namespace detail {

template <class T>
std::vector<std::span<const std::byte>> bytes_of_lists(std::span<const std::span<const T>> lists) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::span<const std::byte>> blocks;
  for (const std::span<const T> list : lists) blocks.push_back(std::as_bytes(list));
  return blocks;
}
/// Resizes a list to hold the bytes that arrive.
template <class T>
std::span<std::byte> room_in(std::vector<T>& list, std::size_t bytes) {
  list.resize(bytes / sizeof(T));
  return std::as_writable_bytes(std::span(list));
}

}  // namespace detail

/// Sends list r of `lists`, which has one list for each rank, to rank r. Element r of the result
/// came from rank r.
template <class T>
std::vector<std::vector<T>> alltoallv(const context& ctx,
                                      std::span<const std::span<const T>> lists) {
  std::vector<std::vector<T>> received(static_cast<std::size_t>(ctx.size()));
  alltoallv(ctx, detail::bytes_of_lists(lists), [&](int origin, std::size_t bytes) {
    return detail::room_in(received[static_cast<std::size_t>(origin)], bytes);
  });
  return received;
}
/// Gathers the lists of all ranks, which may differ in length.
template <class T>
std::vector<std::vector<T>> allgatherv(const context& ctx, std::span<const T> mine) {
  return alltoallv<T>(ctx, std::vector(static_cast<std::size_t>(ctx.size()), mine));
}
/// Gathers the lists of all ranks, which may differ in length, at `root`. Returns no lists on other
/// ranks.
template <class T>
std::vector<std::vector<T>> gatherv(const context& ctx, std::span<const T> mine, int root = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::vector<T>> received(ctx.rank() == root ? static_cast<std::size_t>(ctx.size())
                                                          : 0);
  gatherv(
      ctx, std::as_bytes(mine),
      [&](int origin, std::size_t bytes) {
        return detail::room_in(received[static_cast<std::size_t>(origin)], bytes);
      },
      root);
  return received;
}
/// Returns list r of `lists` on rank r; only `root` gives the lists.
template <class T>
std::vector<T> scatterv(const context& ctx, std::span<const std::span<const T>> lists,
                        int root = 0) {
  std::vector<T> received;
  scatterv(
      ctx, detail::bytes_of_lists(lists),
      [&](int, std::size_t bytes) { return detail::room_in(received, bytes); }, root);
  return received;
}

/// A sparse_list is a list that came from `origin`.
template <class T>
struct sparse_list {
  int origin;
  std::vector<T> values;
};
/// Sends list i of `lists` to rank destinations[i]. Returns what arrived, sorted by origin, and for
/// one origin in the order in which it gave the lists.
template <class T>
std::vector<sparse_list<T>> sparse_exchange(const context& ctx, std::span<const int> destinations,
                                            std::span<const std::span<const T>> lists) {
  std::vector<sparse_list<T>> received;
  sparse_exchange(
      ctx, destinations, detail::bytes_of_lists(lists),
      [&](int origin, std::span<const std::byte> bytes) {
        std::vector<T>& values =
            received.emplace_back(origin, std::vector<T>(bytes.size() / sizeof(T))).values;
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
      });
  return received;
}

/// Runs `check` on every rank. If it throws on any rank, every rank throws the error of the lowest
/// failing rank, with the same class and message, so a failure on one rank never leaves the others
/// waiting. `check` itself must not be collective.
void together(const context& ctx, const std::function<void()>& check);

/// Throws usage_error on every rank if any rank gives another value than rank 0, such as "heatbath
/// with beta 6 on rank 0 and beta 7 on rank 1: give the same on all" for a `call` of "heatbath
/// with" and values of the form "beta 6". Use it for arguments that must be the same on every rank
/// and would otherwise be mixed into one wrong answer. On a virtual machine the ranks are assumed
/// to agree, because checks must not cost virtual time.
void agree(const context& ctx, std::string_view call, std::span<const std::string> values);

}  // namespace onehop
