#pragma once
/// A sparse_router carries blocks between any ranks, in hops of 1, 2, 4, ... ranks.
///
/// A block whose target is d ranks further takes one hop for each power of two in d (Bruck, Ho,
/// Kipnis, Upfal, Weathersby 1997). It travels together with all blocks that take this hop from the
/// same rank. A rank therefore needs memory and messages for log2 of the number of ranks instead of
/// for all of them.

#include <chrono>
#include <cstddef>
#include <onehop/put_chain.hpp>
#include <span>
#include <vector>

namespace onehop {

class sparse_router {
 public:
  /// The constructor is collective. `own` is a context that only this router uses, on the transport
  /// that the router serves. Throws whatever window::allocate and put_chain::commit throw.
  explicit sparse_router(const context& own);

  void set_deadline(std::chrono::nanoseconds deadline) const { own_.set_deadline(deadline); }
  std::size_t hops() const noexcept { return hops_.size(); }
  /// Returns how many ranks a hop advances.
  static int distance(std::size_t hop) noexcept { return 1 << hop; }

  /// Sends bytes by one hop, and returns the bytes that this hop brings. Collective; `ctx` is the
  /// caller's.
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

/// Returns the router of this context. The first call is collective and throws whatever the
/// constructor throws.
sparse_router& router_of(const context& ctx);

}  // namespace onehop
