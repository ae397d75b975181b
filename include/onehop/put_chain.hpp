#pragma once
/// A halo exchange described once and fired with one start.

#include <onehop/put.hpp>
#include <onehop/window.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
/// not replace it. A packed put is written straight into the target only where no credit is needed,
/// or where the caller packs when can_start says so.
///
/// A put of variable size sends what set_bytes said last, and the most it may before that; only
/// those bytes travel, and `arrived` is as long. What lies behind them in the target's window is
/// left undefined. A put of 0 bytes arrives like any other. Its protocol and its channel are those
/// of the most it may send.
///
/// Sources and registered windows may lie in a device's memory, which is found by asking the CUDA
/// driver; set_stream names the stream that uses it there. Such puts leave while this rank waits or
/// tests for anything, after the stream has come so far; after wait or test what arrived is in the
/// device's memory for any stream. The window may change from start on.
///
/// A chain belongs to the thread that committed it: start, wait, test and clear from another one,
/// or from a forked child, throw usage_error. Any number of chains may be in flight on one window
/// as long as their regions differ. Every rank of the context takes part in commit, also with an
/// empty chain.
class put_chain {
 public:
  /// Makes an empty chain. Not collective. Throws usage_error for a window of another job.
  put_chain(const context& ctx, const window& target_memory);
  ~put_chain();
  /// A chain that was moved from is empty and not committed.
  put_chain(put_chain&&) noexcept;
  put_chain& operator=(put_chain&&) noexcept;

  /// Throws usage_error after commit, for a rank outside the job, for a put of 0 bytes or of more
  /// than 2^64, for one of variable size whose source is not one block or lies on a device, and for
  /// one whose `remote` has not as many bytes as its source.
  put_slot push(const put& description);
  /// Expects one put of `rank`. Throws usage_error after commit and for a rank outside the job.
  notification add_origin(int rank);

  /// For chains with sources, or a window, in a device's memory; may be called at any time that no
  /// exchange is in flight. `stream` is a CUstream or cudaStream_t of that device, null its default
  /// stream. What it holds at a start happens before the puts read their sources, and before the
  /// window changes. Throws usage_error in flight.
  void set_stream(void* stream);

  /// Before commit, on all ranks or on none: the exchanges of a chain whose puts all go from
  /// devices to devices of one machine are waited for by the stream, and the host goes on. start
  /// enqueues them after what the stream holds; wait, wait(arrival) and test enqueue that the
  /// stream waits, and return at once, test with true: what is enqueued on it from then on finds
  /// what arrived, and may write the sources. The next start may follow at once.
  ///
  /// Where commit finds that this cannot be, which describe explains, the host waits as ever, so
  /// that the same program is as right. A stream that waits for a rank that failed waits for ever:
  /// synchronise says so in time. Throws usage_error after commit.
  void wait_on_stream();

  /// Of a put of variable size: what the coming starts send, from 0 bytes to the most it may.
  /// Throws usage_error before commit, in flight, for more, and for a put of fixed size.
  void set_bytes(put_slot slot, std::size_t bytes);

  /// Collective. Beside chain_error it throws usage_error after commit, for puts of variable size
  /// in a chain with devices' memory, and resource_error on every rank when one has no memory for
  /// what the puts need.
  void commit();
  /// Throws usage_error before commit, while an exchange is in flight, or without a stream where a
  /// device's memory takes part at this rank; timeout_error or peer_error as wait where it blocks.
  void start();

  /// True when a start would not block; false while an exchange is in flight. Throws usage_error
  /// before commit and for another thread than committed, peer_error when another rank failed.
  bool can_start();

  /// All arrivals of the started exchange are visible and all sources reusable. Throws usage_error
  /// without a start, timeout_error at the deadline, peer_error when another rank failed.
  void wait();
  /// One face: returns as soon as that put is visible. Here and below a slot or an arrival of
  /// another chain, or from before clear, throws usage_error.
  void wait(notification arrival);
  /// Returns as soon as one of these is visible, and which: its place among them. The caller leaves
  /// out what it has dealt with, or is told of it again. Throws usage_error for no arrivals at all.
  std::size_t wait_any(std::span<const notification> arrivals);
  /// Returns as soon as any of these are visible, and how many: moves them to the front, in their
  /// order, so that `subspan` of what is returned are those still awaited. Throws as wait_any.
  std::size_t wait_some(std::span<notification> arrivals);
  /// True when a wait would return at once, and then takes its place; never blocks. Throws
  /// usage_error if there was no start, peer_error when another rank failed.
  bool test();
  bool test(notification arrival);

  /// After commit: wait_on_stream was asked for and is what happens. Throws usage_error before.
  bool waits_on_stream() const;
  /// Where streams wait: returns on the host once the stream has passed the last wait; elsewhere at
  /// once. Throws as wait does, and has then let the stream go on with whatever bytes it found.
  /// Usage_error before commit. Not for streams that are being recorded.
  void synchronise();

  /// The source of this put may be written again. Says nothing about the target.
  bool source_free(put_slot slot) const;
  /// The bytes of this arrival are visible here. Same as test(arrival).
  bool delivered(notification arrival) { return test(arrival); }

  /// Where to write a packed put for the coming start: the target's own memory if stores reach it,
  /// else a buffer of the chain. Valid from commit (or the last wait) until start; asked for in
  /// flight, or for a put with a source of its own, it throws usage_error.
  std::span<std::byte> target_view(put_slot slot) const;
  /// What the exchange started last brought here, as long as it was sent, once that has been seen
  /// by wait or test; usage_error before. Valid until this rank's next start. Of a put with
  /// put::remote it is the window from the first byte that the put wrote to the last, with what
  /// lies between its runs.
  std::span<const std::byte> arrived(notification arrival) const;
  /// The window lies in a device's memory at this rank, and so does what arrives.
  bool arrives_on_device() const noexcept;
  /// True when target_view is the target's memory, so that packing is the transfer.
  bool direct(put_slot slot) const;
  /// True when target_view is best written with stores that pass the caches; others are as right.
  /// Needs no fence: start has one.
  bool streaming(put_slot slot) const;

  /// Collective. Back to an empty, uncommitted chain; its slots and arrivals name nothing any more.
  /// Throws usage_error while an exchange is in flight.
  void clear();

  /// One line per put: channel chosen and why. Throws usage_error before commit.
  std::string describe() const;

 private:
  /// What target_view and arrived look at. They are called between the loads and stores of a pack
  /// kernel, which the processor overlaps only as far as it can see; so they are short and inlined.
  struct views {
    std::uint64_t exchange = 0;   ///< the last one started
    std::uint64_t completed = 0;  ///< the last one of which everything was seen
    bool in_flight = false;
    chain_identity name;
    std::vector<std::uint64_t> seen;  ///< the last exchange in which each arrival was seen
    /// The caller reads an arrival here in odd (1) and even (0) exchanges.
    struct ghost {
      std::array<const std::byte*, 2> bank;
      std::size_t bytes;
    };
    std::vector<ghost> ghosts;
    /// A packed put is written here before odd (1) and even (0) exchanges; 0 bytes for other puts.
    struct packing {
      std::array<std::byte*, 2> bank;
      std::size_t bytes;
    };
    std::vector<packing> packings;

    bool has_seen(std::size_t arrival) const {
      return completed == exchange || seen[arrival] == exchange;
    }
  };
  struct state;
  friend class face_chain;  // prefetches what its next exchange will write

  std::span<std::byte> next_packing(put_slot slot) const;
  [[noreturn]] void refuse_target_view(put_slot slot) const;
  [[noreturn]] void refuse_arrived(notification arrival) const;

  std::unique_ptr<state> state_;
  views* views_;  ///< part of the state
};

inline std::span<std::byte> put_chain::target_view(put_slot slot) const {
  if (views_->in_flight) refuse_target_view(slot);
  return next_packing(slot);
}

inline std::span<std::byte> put_chain::next_packing(put_slot slot) const {
  const auto put = static_cast<std::size_t>(slot.index);
  if (slot.of.unique != views_->name.unique || put >= views_->packings.size())
    refuse_target_view(slot);
  const views::packing& next = views_->packings[put];
  if (next.bytes == 0) refuse_target_view(slot);
  return {next.bank[(views_->exchange + 1) % 2], next.bytes};
}

inline std::span<const std::byte> put_chain::arrived(notification arrival) const {
  const auto index = static_cast<std::size_t>(arrival.index);
  if (views_->exchange == 0 || arrival.of.unique != views_->name.unique ||
      index >= views_->ghosts.size() || !views_->has_seen(index))
    refuse_arrived(arrival);
  const views::ghost& here = views_->ghosts[index];
  return {here.bank[views_->exchange % 2], here.bytes};
}

}  // namespace onehop
