#pragma once
/// A sparse_router carries blocks between any ranks, by hops of 1, 2, 4, ... ranks.
///
/// A block whose target is d ranks further takes a hop of each power of two in d (Bruck, Ho,
/// Kipnis, Upfal, Weathersby 1997), and at each it travels with all others that take it from the
/// same rank. So a rank has memory and messages for log2 of the number of ranks, and not for all of
/// them.

#include <chrono>
#include <cstddef>
#include <onehop/put_chain.hpp>
#include <span>
#include <vector>

namespace onehop {

class sparse_router {
 public:
  /// The constructor is collective. `own` is a context that only this router uses, on the transport
  /// that it serves. Throws what window::allocate and put_chain::commit throw.
  explicit sparse_router(const context& own);

  void set_deadline(std::chrono::nanoseconds deadline) const { own_.set_deadline(deadline); }
  std::size_t hops() const noexcept { return hops_.size(); }
  /// Returns the ranks that a hop goes on by.
  static int distance(std::size_t hop) noexcept { return 1 << hop; }

  /// Sends bytes by one hop; returns those that come by it. Collective; `ctx` is the caller's.
  std::vector<std::byte> pass(const context& ctx, std::size_t hop,
                              std::span<const std::byte> bytes);

 private:
  struct link {
    put_chain chain;
    put_slot slot;
    notification arrival;
    int origin;
  };

  context own_;
  window memory_;
  std::vector<link> hops_;
};

/// Returns the router of this context; the first call is collective, and throws as its constructor
/// does.
sparse_router& router_of(const context& ctx);

}  // namespace onehop
