#pragma once
/// A put_chain is a halo exchange that is described once and fired with one start.

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

/// A chain_identity names one description of one chain, from its first push to clear. Slots and
/// arrivals carry it, so that no other chain takes them for its own.
struct chain_identity {
  std::uint32_t unique = 0;  ///< number in this process; 0 names no chain
  int rank = -1;
  std::uint32_t chain = 0;  ///< number of the chain at its rank, in the order of construction
};

/// A put_slot names one outgoing put of a chain.
struct put_slot {
  int index = -1;
  chain_identity of;
};

/// A notification names one arrival of a chain: that the bytes of one put are visible here.
struct notification {
  int index = -1;
  chain_identity of;
};

/// A chain lives like this:
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
/// A put of variable size sends as many bytes as set_bytes said last, and its most bytes until
/// then; only those travel, and `arrived` is as long. What lies behind them in the target's window
/// is undefined. A put of 0 bytes arrives like any other. The protocol and the channel of a put are
/// those of its most bytes.
///
/// Sources and registered windows may lie in a device's memory, which is found by asking the CUDA
/// driver; set_stream names the stream that uses it there. Such puts leave while this rank waits or
/// tests for anything, once the stream has completed what was enqueued before start; after wait or
/// test what arrived is in the device's memory for any stream. The window may change from start on.
///
/// start_partial starts an exchange whose puts leave one by one, each when `ready` names it, so
/// that the first can travel while the bytes of the others are still being made; MPI calls this
/// partitioned communication. The packed bytes of a put, and its source, may be written until then.
/// Puts to one target arrive in the order of push: one that is ready waits for those before it.
///
///     chain.start_partial();
///     for (const auto slot : slots) { fill(chain.target_view(slot)); chain.ready(slot); }
///     chain.wait();
///
/// Two ranks that put to each other usually read what has come before they write what goes next. A
/// chain that says so by take_turns has them write where they have just read. Where stores reach
/// the target a cache line then goes once from core to core for an exchange instead of twice, and
/// faces of some KiB take a third to a half of the time.
///
/// A chain belongs to the thread that committed it: start, wait, test and clear from another one,
/// or from a forked child, throw usage_error. Any number of chains may be in flight on one window
/// as long as their regions do not overlap. Every rank of the context takes part in commit, also
/// with an empty chain.
class put_chain {
 public:
  /// The constructor makes an empty chain; it is not collective. Throws usage_error for a window of
  /// another job.
  put_chain(const context& ctx, const window& target_memory);
  ~put_chain();
  /// A chain that was moved from is empty and not committed.
  put_chain(put_chain&&) noexcept;
  put_chain& operator=(put_chain&&) noexcept;

  /// Throws usage_error after commit, for a rank outside the job, for a put of 0 bytes or of more
  /// than 2^64, for one of variable size whose source is not one block, and for one whose `remote`
  /// has not as many bytes as its source.
  put_slot push(const put& description);
  /// Expects one put of `rank`. Throws usage_error after commit and for a rank outside the job.
  notification add_origin(int rank);

  /// Promises that this rank has read what arrived by an exchange before it writes a target_view of
  /// the next one, so that both may be the same memory. Called before commit, on all ranks or on
  /// none. Only `arrived` says then where an arrival lies: it need not be the window. It changes
  /// nothing where ranks do not put to each other as many puts of the same sizes, where the window
  /// has one bank, where a device's memory takes part, and where no stores reach the target. Throws
  /// usage_error after commit.
  void take_turns();

  /// Names the stream that uses the device's memory in which sources or the window lie. May be
  /// called whenever no exchange is in flight. `stream` is a CUstream or cudaStream_t of that
  /// device, or null for its default stream. What is enqueued on it at a start happens before the
  /// puts read their sources, and before the window changes. Throws usage_error in flight, and for
  /// managed memory, which counts as the host's: a caller waits for its stream before start.
  void set_stream(void* stream);

  /// Lets the stream instead of the host wait for the exchanges of a chain whose puts all go from
  /// devices to devices of one machine. Called before commit, on all ranks or on none. start
  /// enqueues them after what the stream holds; wait, wait(arrival) and test enqueue that the
  /// stream waits, and return at once, test with true: what is enqueued on it from then on finds
  /// what arrived, and may write the sources. The next start may follow at once.
  ///
  /// Where commit finds that this cannot be, which describe explains, the host waits as without
  /// this call, so that the same program is right either way. A stream that waits for a failed rank
  /// waits for ever: synchronise reports the failure. Throws usage_error after commit.
  void wait_on_stream();

  /// Sets how many bytes a put of variable size sends in the coming starts, from 0 to its most.
  /// Throws usage_error before commit, in flight unless the put is yet to be made ready, for more
  /// bytes, and for a put of fixed size.
  void set_bytes(put_slot slot, std::size_t bytes);

  /// Checks and prepares the chain; collective. Beside chain_error it throws usage_error after
  /// commit and for a put with `remote` in a chain with devices' memory, and resource_error on
  /// every rank when one has no memory for what the puts need.
  void commit();
  /// Fires all puts. Throws usage_error before commit, while an exchange is in flight, or without a
  /// stream where a device's memory takes part at this rank; throws timeout_error and peer_error as
  /// wait does where it blocks.
  void start();

  /// Starts an exchange without firing any put, and never blocks: the credits of start are given,
  /// and what the others send may arrive. Throws as start does, and usage_error for a chain with
  /// memory of devices, whose puts leave in the order of a stream.
  void start_partial();
  /// Says that the bytes of this put are there, and fires it; never blocks. A put whose target has
  /// no room yet leaves later, while this rank waits or tests for anything. Throws usage_error
  /// where no exchange is started in part, and for a put that is ready already.
  void ready(put_slot slot);

  /// Returns true when a start would not block, false while an exchange is in flight. Throws
  /// usage_error before commit and on another thread than the one that committed, peer_error when
  /// another rank failed.
  bool can_start();

  /// Waits until all arrivals of the started exchange are visible and all sources reusable. Throws
  /// usage_error without a start and while a put is yet to be made ready, timeout_error at the
  /// deadline, peer_error when another rank failed.
  void wait();
  /// Waits for one arrival: returns as soon as the bytes of that put are visible. Every function
  /// throws usage_error for a slot or an arrival of another chain, or from before clear.
  void wait(notification arrival);
  /// Returns as soon as one of these arrivals is visible, and which: its index among them. The
  /// caller leaves out those that it has dealt with, or they are returned again. Throws usage_error
  /// for no arrivals at all.
  std::size_t wait_any(std::span<const notification> arrivals);
  /// Returns as soon as any of these arrivals are visible, and how many: it moves them to the
  /// front, in their order, so that a `subspan` from the returned count on has those still awaited.
  /// Throws as wait_any does.
  std::size_t wait_some(std::span<notification> arrivals);
  /// Returns true when a wait would return at once, and then replaces it; never blocks. Throws
  /// usage_error without a start, peer_error when another rank failed.
  bool test();
  bool test(notification arrival);

  /// Returns, after commit, whether wait_on_stream was called and commit could follow it. Throws
  /// usage_error before commit.
  bool waits_on_stream() const;
  /// Returns once the stream has passed the last wait, where streams wait, and at once elsewhere.
  /// Throws as wait does, after releasing the stream, which then goes on with undefined data.
  /// Throws usage_error before commit. Must not be called while the stream is captured into a
  /// graph.
  void synchronise();

  /// Returns whether the source of this put may be written again, which says nothing about the
  /// target.
  bool source_free(put_slot slot) const;
  /// Returns whether the bytes of this arrival are visible here; the same as test(arrival).
  bool delivered(notification arrival) { return test(arrival); }

  /// Returns where to write a packed put for the coming start: the target's own memory if stores
  /// reach it, else a buffer of the chain. Valid from commit (or the last wait) until start, or
  /// until `ready` where start_partial was called. Throws usage_error after that, and for a put
  /// with a source of its own.
  std::span<std::byte> target_view(put_slot slot) const;
  /// What the exchange started last brought here, as long as it was sent, once that has been seen
  /// by wait or test; usage_error before. Valid until this rank's next start, or until it writes a
  /// target_view of a chain that takes turns. Of a put with
  /// put::remote it is the window from the first byte that the put wrote to the last, with what
  /// lies between its runs.
  std::span<const std::byte> arrived(notification arrival) const;
  /// Returns whether the window, and so what arrives, lies in a device's memory at this rank.
  bool arrives_on_device() const noexcept;
  /// Returns true when target_view is the target's memory, so that packing is the transfer.
  bool direct(put_slot slot) const;
  /// True when target_view is best written with stores that pass the caches; others are as right.
  /// Needs no fence: start has one.
  bool streaming(put_slot slot) const;

  /// Returns to an empty, uncommitted chain, whose former slots and arrivals name nothing any more.
  /// Collective. Throws usage_error while an exchange is in flight.
  void clear();

  /// Returns one line per put: the channel chosen and why. Throws usage_error before commit.
  std::string describe() const;

 private:
  /// These are what target_view and arrived look at. Both are called between the loads and stores
  /// of a pack kernel, which the processor overlaps only as far as it can see ahead; so they are
  /// short and inlined.
  struct views {
    std::uint64_t exchange = 0;   ///< number of the exchange started last
    std::uint64_t completed = 0;  ///< number of the last exchange of which everything was seen
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
