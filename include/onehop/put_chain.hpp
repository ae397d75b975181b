#pragma once
/// A halo exchange described once and fired with one start.

#include <onehop/put.hpp>
#include <onehop/window.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace onehop {

/// One description of one chain, from its first push to clear. What a chain hands out carries it,
/// so that no other chain takes it for its own.
struct chain_identity {
  std::uint32_t unique = 0;  ///< in this process; 0 names none
  int rank = -1;
  std::uint32_t chain = 0;  ///< counts the chains of a rank, in the order of their making
};

/// Names one outgoing put of a chain.
struct put_slot {
  int index = -1;
  chain_identity of;
};

/// Names one arrival of a chain: the notification that the bytes of one put are visible here.
struct notification {
  int index = -1;
  chain_identity of;
};

/// The life of a chain:
///
///     push / add_origin ...  ->  commit  ->  { start, wait }*  ->  clear
///
/// push and add_origin only describe. commit is collective and does everything expensive: it pairs
/// the k-th put from A to B with the k-th add_origin(A) of B, checks that every pair exists, that
/// the bytes fit B's window and that no two puts overlap there. A mismatch throws chain_error on
/// every rank, naming both sides.
///
/// start fires all puts. It allocates nothing, takes no lock, and on self and shm makes no system
/// call. On a two-bank window start blocks only when the pattern is asymmetric and the target lags
/// two exchanges behind; on a one-bank window it waits until the target has started this exchange.
///
/// What arrived by exchange n may be read from wait until this rank's next start. Each start needs
/// a wait(), or a test() that returned true, before the next start; waiting for single faces does
/// not replace it. A packed put is written straight into the target only where no credit is needed.
///
/// A chain belongs to one thread. Any number of chains may be in flight on one window as long as
/// their regions differ. Every rank of the context takes part in commit, also with an empty chain.
class put_chain {
 public:
  put_chain(const context& ctx, const window& target_memory);
  ~put_chain();
  /// What was moved from is an empty chain that is not committed.
  put_chain(put_chain&&) noexcept;
  put_chain& operator=(put_chain&&) noexcept;

  /// Throws usage_error after commit, for a rank outside the job, for a put of 0 bytes.
  put_slot push(const put& description);
  notification add_origin(int rank);

  void commit();
  void start();

  /// All arrivals of the started exchange are visible and all sources reusable. Throws usage_error
  /// without a start, timeout_error at the deadline, peer_error when another rank failed.
  void wait();
  /// One face: returns as soon as that put is visible. Here and below a slot or an arrival of
  /// another chain, or from before clear, throws usage_error.
  void wait(notification arrival);
  bool test();
  bool test(notification arrival);

  /// The source of this put may be written again. Says nothing about the target.
  bool source_free(put_slot slot) const;
  /// The bytes of this arrival are visible here. Same as test(arrival).
  bool delivered(notification arrival) { return test(arrival); }

  /// Where to write a packed put for the coming start: the target's own memory if stores reach it,
  /// else a buffer of the chain. Valid from commit (or the last wait) until start.
  std::span<std::byte> target_view(put_slot slot) const;
  /// What the last completed exchange brought.
  std::span<const std::byte> arrived(notification arrival) const;
  /// True when target_view is the target's memory, so that packing is the transfer.
  bool direct(put_slot slot) const;

  /// Collective. Back to an empty, uncommitted chain; its slots and arrivals name nothing any more.
  void clear();

  /// One line per put: channel chosen and why.
  std::string describe() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
