#pragma once
/// A put_chain describes an exchange, such as a halo exchange, once; each start then fires all of
/// its puts.

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

/// A chain_identity identifies one description of one chain, from its first push to clear. Slots
/// and arrivals carry it, so that another chain does not mistake them for its own.
struct chain_identity {
  std::uint32_t unique = 0;  ///< number in this process; 0 names no chain
  int rank = -1;
  std::uint32_t chain = 0;  ///< number of the chain on its rank, in the order of construction
};

/// A put_slot names one outgoing put of a chain.
struct put_slot {
  int index = -1;
  chain_identity of;
};

/// A notification names one arrival of a chain. The arrival means that the bytes of one put are
/// visible here.
struct notification {
  int index = -1;
  chain_identity of;
};

/// A chain goes through these calls:
///
///     push / add_origin ...  ->  commit  ->  { start, wait }*  ->  clear
///
/// push and add_origin only describe. commit is collective and does everything expensive: it pairs
/// the k-th put from A to B with the k-th add_origin(A) of B, and checks that every pair exists,
/// that the bytes fit B's window and that no two puts overlap there. A mismatch throws chain_error
/// on every rank, naming both sides.
///
/// start fires all puts. It allocates nothing, takes no lock, and makes no system call on self and
/// shm. On a two-bank window, start blocks only when the pattern is asymmetric and the target is
/// two exchanges behind. On a one-bank window, it waits until the target has started this exchange.
///
/// What arrived in exchange n may be read from wait until this rank's next start. Each start needs
/// a wait(), or a test() that returned true, before the next start; waiting for single arrivals
/// does not replace it. A packed put is written straight into the target's memory only if no credit
/// is needed, or if the caller packs once can_start returns true.
///
/// A put of variable size sends as many bytes as the last set_bytes said, or its largest size if
/// there was none. Only these bytes travel, and `arrived` has this length. The bytes behind them in
/// the target's window are undefined. A put of 0 bytes arrives like any other. The protocol and the
/// channel of a put are chosen for its largest size.
///
/// Sources and registered windows may lie in a device's memory; onehop asks the CUDA driver to find
/// out. set_stream names the stream that uses this memory. Such puts leave while this rank waits or
/// tests for anything, once the stream has completed what was enqueued before start. After wait or
/// test, what arrived is in the device's memory for any stream. The window may change from start
/// on.
///
/// start_partial starts an exchange whose puts leave one by one, each when `ready` names it. The
/// first can then travel while the bytes of the others are still being computed; MPI calls this
/// partitioned communication. The packed bytes of a put, and its source, may be written until its
/// `ready`. Puts to one target arrive in the order of push: a put that is ready waits for those
/// before it.
///
///     chain.start_partial();
///     for (const auto slot : slots) { fill(chain.target_view(slot)); chain.ready(slot); }
///     chain.wait();
///
/// Two ranks that put to each other usually read what arrived before they write what they send
/// next. take_turns declares this for a chain, and both ranks then write where they have just read.
/// If stores reach the target, a cache line then travels between the cores once per exchange
/// instead of twice, and the exchange of faces of some KiB takes a third to a half of the time.
///
/// A chain belongs to the thread that committed it: start, wait, test and clear throw usage_error
/// on another thread or in a forked child. Any number of chains may be in flight on one window as
/// long as their regions do not overlap. Every rank of the context takes part in commit, even if
/// its chain is empty.
class put_chain {
 public:
  /// Makes an empty chain; not collective. Throws usage_error for a window of another job.
  put_chain(const context& ctx, const window& target_memory);
  ~put_chain();
  /// A chain that was moved from is empty and not committed.
  put_chain(put_chain&&) noexcept;
  put_chain& operator=(put_chain&&) noexcept;

  /// Adds a put to the chain. Throws usage_error after commit, for a rank outside the job, for a
  /// put of 0 bytes or of more than 2^64, for a put of variable size whose source is not
  /// contiguous, and if `remote` and the source differ in their number of bytes.
  put_slot push(const put& description);
  /// Declares that one put of `rank` arrives here. Throws usage_error after commit and for a rank
  /// outside the job.
  notification add_origin(int rank);

  /// Promises that this rank reads what arrived in an exchange before it writes a target_view of
  /// the next one, so that both may be the same memory. Call it before commit, on all ranks or on
  /// none. Afterwards only `arrived` says where an arrival lies, which need not be in the window.
  /// The call has no effect if the two ranks do not send each other the same number of puts of the
  /// same sizes, if the window has one bank, if a device's memory takes part, or if stores do not
  /// reach the target. Throws usage_error after commit.
  void take_turns();

  /// Names the stream that uses the device memory in which sources or the window lie. May be called
  /// whenever no exchange is in flight. `stream` is a CUstream or cudaStream_t of that device, or
  /// null for its default stream. The work enqueued on it before a start completes before the puts
  /// read their sources, and before the window changes. Throws usage_error in flight, and for
  /// managed memory, which counts as host memory: wait for its stream before start.
  void set_stream(void* stream);

  /// Lets the stream, instead of the host, wait for the exchanges of a chain whose puts all go
  /// between devices of one machine. Call it before commit, on all ranks or on none. start enqueues
  /// the puts behind the work that the stream holds. wait, wait(arrival) and test (which returns
  /// true) enqueue a wait of the stream and return at once. Work enqueued afterwards sees what
  /// arrived, and may write the sources. The next start may follow at once.
  ///
  /// If commit finds that this is not possible, for a reason that describe gives, the host waits as
  /// it does without this call, so the same program is correct in both cases. A stream that waits
  /// for a failed rank waits for ever; synchronise reports the failure. Throws usage_error after
  /// commit.
  void wait_on_stream();

  /// Sets how many bytes a put of variable size sends in the coming starts, from 0 to its largest
  /// size. Throws usage_error before commit, for more bytes, for a put of fixed size, and in flight
  /// unless the put is not yet ready.
  void set_bytes(put_slot slot, std::size_t bytes);

  /// Checks and prepares the chain; collective. Besides chain_error it throws usage_error after
  /// commit and for a put with `remote` in a chain with device memory, and resource_error on every
  /// rank if one of them has no memory for what the puts need.
  void commit();
  /// Fires all puts. Throws usage_error before commit, while an exchange is in flight, or if a
  /// device's memory takes part at this rank and no stream was set. If it blocks, it throws
  /// timeout_error and peer_error as wait does.
  void start();

  /// Starts an exchange without firing any put, and never blocks. Like start, it grants credits, so
  /// the puts of other ranks may arrive. Throws as start does, and usage_error for a chain with
  /// device memory, whose puts leave in the order of a stream.
  void start_partial();
  /// Declares that the bytes of this put are there, and fires it; never blocks. If the target has
  /// no room yet, the put leaves later, while this rank waits or tests for anything. Throws
  /// usage_error unless an exchange was started with start_partial, and for a put that is already
  /// ready.
  void ready(put_slot slot);

  /// Returns true if a start would not block, and false while an exchange is in flight. Throws
  /// usage_error before commit and on a thread other than the one that committed, peer_error if
  /// another rank failed.
  bool can_start();

  /// Waits until all arrivals of the started exchange are visible and all sources are reusable.
  /// Throws usage_error without a start and while a put is not yet ready, timeout_error at the
  /// deadline, peer_error if another rank failed.
  void wait();
  /// Waits for one arrival: returns as soon as the bytes of that put are visible. Every function
  /// throws usage_error for a slot or an arrival of another chain, or from before clear.
  void wait(notification arrival);
  /// Waits until one of these arrivals is visible, and returns its index among them. The caller
  /// removes arrivals that it has already handled, or they are returned again. Throws usage_error
  /// for an empty list.
  std::size_t wait_any(std::span<const notification> arrivals);
  /// Waits until at least one of these arrivals is visible, and returns how many are. It moves the
  /// visible ones to the front, in their order, so the `subspan` from the returned count on holds
  /// those still awaited. Throws as wait_any does.
  std::size_t wait_some(std::span<notification> arrivals);
  /// Returns true if a wait would return at once; such a test replaces the wait. Never blocks.
  /// Throws usage_error without a start, peer_error if another rank failed.
  bool test();
  bool test(notification arrival);

  /// Returns, after commit, whether the stream waits: wait_on_stream was called and commit found it
  /// possible. Throws usage_error before commit.
  bool waits_on_stream() const;
  /// Waits until the stream has passed the last wait if the stream waits; otherwise returns at
  /// once. Throws as wait does, after releasing the stream, which then continues with undefined
  /// data. Throws usage_error before commit. Must not be called while the stream is captured into a
  /// graph.
  void synchronise();

  /// Returns whether the source of this put may be written again. This says nothing about the
  /// target.
  bool source_free(put_slot slot) const;
  /// Returns whether the bytes of this arrival are visible here; the same as test(arrival).
  bool delivered(notification arrival) { return test(arrival); }

  /// Returns where to write a packed put for the coming start: the target's own memory if stores
  /// reach it, otherwise a buffer of the chain. Valid from commit (or the last wait) until start,
  /// or until `ready` after start_partial. Throws usage_error at any other time, and for a put with
  /// a source of its own.
  std::span<std::byte> target_view(put_slot slot) const;
  /// Returns the bytes that arrived in the exchange started last, at the length that was sent.
  /// Throws usage_error until wait or test has seen the arrival. Valid until this rank's next start
  /// or, for a chain that takes turns, until it writes a target_view. For a put with put::remote,
  /// returns the window from the first byte that the put wrote to the last, including the bytes
  /// between its runs.
  std::span<const std::byte> arrived(notification arrival) const;
  /// Returns whether the window, and therefore what arrives, lies in a device's memory at this
  /// rank.
  bool arrives_on_device() const noexcept;
  /// Returns whether target_view is the target's own memory, so that packing is already the
  /// transfer.
  bool direct(put_slot slot) const;
  /// Returns whether target_view is best written with non-temporal stores, which bypass the caches;
  /// ordinary stores are also correct. No fence is needed, because start has one.
  bool streaming(put_slot slot) const;

  /// Makes the chain empty and uncommitted again, and invalidates its slots and arrivals.
  /// Collective. Throws usage_error while an exchange is in flight.
  void clear();

  /// Returns one line per put: the chosen channel and the reason. Throws usage_error before commit.
  std::string describe() const;

 private:
  /// target_view and arrived read these members. Both are called between the loads and stores of a
  /// pack kernel, which an out-of-order processor overlaps only within a limited window of
  /// instructions; they are therefore short and inlined.
  struct views {
    std::uint64_t exchange = 0;   ///< number of the exchange started last
    std::uint64_t completed = 0;  ///< number of the last exchange whose arrivals were all seen
    bool in_flight = false;
    chain_identity name;
    std::vector<std::uint64_t> seen;  ///< the last exchange in which each arrival was seen
    /// The caller reads an arrival here in odd (1) and even (0) exchanges.
    struct ghost {
      std::array<const std::byte*, 2> bank;
      std::size_t bytes;
    };
    std::vector<ghost> ghosts;
    /// A packed put is written here before odd (1) and even (0) exchanges; `bytes` is 0 for other
    /// puts.
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

  std::span<std::byte> packing(put_slot slot, std::uint64_t exchange) const;
  std::span<std::byte> held_packing(put_slot slot) const;
  [[noreturn]] void refuse_target_view(put_slot slot) const;
  [[noreturn]] void refuse_arrived(notification arrival) const;

  std::unique_ptr<state> state_;
  views* views_;  ///< a part of the state
};

inline std::span<std::byte> put_chain::target_view(put_slot slot) const {
  if (views_->in_flight) return held_packing(slot);
  return packing(slot, views_->exchange + 1);
}

inline std::span<std::byte> put_chain::packing(put_slot slot, std::uint64_t exchange) const {
  const auto put = static_cast<std::size_t>(slot.index);
  if (slot.of.unique != views_->name.unique || put >= views_->packings.size())
    refuse_target_view(slot);
  const views::packing& next = views_->packings[put];
  if (next.bytes == 0) refuse_target_view(slot);
  return {next.bank[exchange % 2], next.bytes};
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
