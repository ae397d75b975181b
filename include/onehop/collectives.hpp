#pragma once
/// Operations of all ranks together. Each is collective: every rank calls it, in the same order,
/// with the same sizes. Where they differ it throws usage_error naming both; besides, timeout_error
/// at the deadline and peer_error when another rank failed. They read and write the caller's memory
/// only during the call.

#include <onehop/context.hpp>

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

/// The order in which the ranks' values are added.
enum class sum_order {
  fixed,  ///< 0, 1, ... on every rank, so that all ranks and all transports get the same bits
  fast    ///< as the transport likes best: the last bits may differ between runs and between ranks
};

/// Sums element by element. Over MPI the fast order is that of MPI_Allreduce, which takes fewer
/// messages from some ranks on; ranks that make different calls, or give different sizes, while one
/// of them is in it get timeout_error at the deadline or the error of MPI. On shared memory both
/// orders are the same.
void allreduce_sum(const context& ctx, std::span<double> values,
                   sum_order order = sum_order::fixed);
/// The largest, element by element; not a number where any rank gives that.
void allreduce_max(const context& ctx, std::span<double> values);

/// Gathers one value of each rank, in rank order.
template <class T>
std::vector<T> allgather(const context& ctx, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(ctx.size()));
  allgather(ctx, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Runs `check` on every rank; if it throws on any, every rank throws the error of the lowest
/// failing rank, same class and same message, so that a failure on one rank never leaves the others
/// waiting. `check` itself must not be collective.
void together(const context& ctx, const std::function<void()>& check);

}  // namespace onehop
