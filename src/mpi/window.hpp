#pragma once
/// A window is memory of every rank that other ranks read and write. If the ranks share the memory,
/// the origin accesses it directly. If the kernel allows it, the origin reads long data directly as
/// well. All other accesses are packets, which the target carries out in its calls of MPI, in the
/// order in which each origin sent them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/operation.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/wire.hpp"

namespace onehop::mpi_abi {

/// A window_part describes what one rank contributes to a window.
struct window_part {
  std::uint64_t base;  ///< address in that rank's process
  std::int64_t bytes;
  std::int64_t unit;  ///< size of one unit of displacement, in bytes
};

/// A one_sided_access names the target and the elements to access there.
struct one_sided_access {
  int rank;
  std::ptrdiff_t displacement;
  std::size_t count;
  const datatype_ptr& type;
};

/// Returns the index of a rank in lists of all ranks.
inline std::size_t slot_of(int rank) noexcept { return static_cast<std::size_t>(rank); }

class window {
 public:
  /// The constructor is collective over the ranks of `comm`, which must have no other use. The
  /// ranks may share the memory.
  window(communicator_ptr comm, int flavor, const window_part& mine,
         std::shared_ptr<const shared_parts> shared = nullptr);
  ~window();
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  const communicator_ptr& comm() const noexcept { return comm_; }
  int flavor() const noexcept { return flavor_; }
  const window_part& part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  /// Returns null if the ranks do not share the memory.
  const shared_parts* shared() const noexcept { return shared_.get(); }

  // When these return, data from the caller's memory have been sent or copied. Data that are read
  // arrive before a flush returns, or before `done` is complete.
  void put(const typed_buffer& from, const one_sided_access& to);
  void get(const typed_buffer& into, const one_sided_access& from, request* done);
  void accumulate(const typed_buffer& from, const one_sided_access& to, MPI_Op how);
  void get_accumulate(const typed_buffer& from, const typed_buffer& into,
                      const one_sided_access& at, MPI_Op how, request* done);
  void compare_and_swap(const void* value, const void* compared, void* result,
                        const one_sided_access& at);

  /// Throws mpi_error unless an epoch allows this rank to access another rank's memory.
  void require_epoch(int rank);

  // Synchronization.
  /// Completes the accesses of all ranks, and allows new accesses if it `opens` an epoch.
  void fence(bool opens);
  /// Waits until everything that ranks have sent each other is carried out. Throws mpi_error if an
  /// epoch has not ended.
  void end_epochs();
  void flush(int rank);
  void flush_all();
  /// Throws mpi_error unless this rank holds a lock at `rank`, or any lock if `rank` is -1.
  void require_locked(int rank) const;
  /// If the lock need not be `checked` (MPI_MODE_NOCHECK), this waits for no rank.
  void lock(int kind, int rank, bool checked);
  void unlock(int rank);
  void lock_all(bool checked);
  void unlock_all();
  void post(const group& origins);
  void start(const group& targets);
  void complete();
  void wait();
  bool test();

  /// Memory used only by this rank, which is freed with the window.
  std::shared_ptr<void> memory;
  /// The values of the window's predefined attributes, whose addresses MPI_Win_get_attr returns.
  struct {
    void* base;
    MPI_Aint bytes;
    int unit, flavor, model;
  } attributes;

 private:
  enum verb : int {
    verb_put,
    verb_get,
    verb_accumulate,
    verb_get_accumulate,
    verb_compare_and_swap,
    verb_reply,
    verb_lock_shared,
    verb_lock_exclusive,
    verb_granted,
    verb_unlock,
    verb_flush,
    verb_acknowledge,
    verb_posted,
    verb_completed
  };
  /// A piece is a run of contiguous bytes at the target, at a displacement from its base.
  struct piece {
    std::int64_t place;
    std::uint64_t bytes;
  };
  /// A pending_read describes data that are to arrive from a target. Elements with gaps are
  /// gathered first. A read holds no memory before its first data arrive, since a rank may start
  /// any number of reads.
  struct pending_read {
    int rank;
    datatype_ptr type;
    void* into;
    std::size_t bytes, left;
    request* done;
    std::vector<std::byte> packed{};
  };
  /// What must come back from a target before this rank knows that its accesses are carried out:
  /// the replies to reads, which prove that all earlier accesses were carried out, or an answer.
  enum class owed : unsigned char { nothing, replies, answer };
  /// The value of a lock that the target does not know of.
  static constexpr int promised = 1;
  /// What the last MPI_Win_fence allows this rank to do, and whether this rank has done so.
  enum class fenced : unsigned char { nothing, accesses, accessed };
  /// The locks that ranks hold on this rank's memory, and the requests that wait for a lock.
  struct lock_state {
    int shared = 0;
    bool exclusive = false;
    std::deque<packet_header> waiting;
  };

  std::vector<piece> pieces_of(const one_sided_access& at, std::size_t grain) const;
  void transfer(verb what, const one_sided_access& at, std::span<const std::byte> data,
                std::uint64_t how, pending_read* back);
  bool read_at_once(const typed_buffer& into, int rank, std::span<const piece> pieces);
  pending_read* expect(int rank, const typed_buffer& into, request* done);
  void deliver(int rank, const packet_header& header, std::span<const std::byte> payload);
  void acquire(int rank);
  void take(const packet_header& header, std::span<const std::byte> payload);
  static bool reads(verb what) noexcept;
  static std::vector<std::byte> carry_out(const packet_header& header,
                                          std::span<const std::byte> payload, std::byte* base);
  void take_reply(const packet_header& header, std::span<const std::byte> payload);
  void grant_locks();
  void say(int rank, verb what);
  void ask(int rank);
  void begin_accesses();
  void drain();
  void require_unlocked(int rank) const;
  void require_all_unlocked() const;
  void require_complete() const;
  void require_posted() const;
  void end_exposure();
  void await_grant(int rank, int kind);
  bool release(int rank);
  void await_answers();
  void await_replies(int rank);
  void await_room(int rank, std::size_t bytes);
  void wait_for(const std::function<bool()>& done, const std::string& what, int rank);
  static std::size_t payload_room();

  communicator_ptr comm_;
  int flavor_;
  std::vector<window_part> parts_;
  std::shared_ptr<const shared_parts> shared_;
  /// Whether this rank carries out its accesses itself. In virtual time they are messages all the
  /// same, so that they take time.
  bool is_direct_;

  // The members that follow belong to this rank as an origin.
  std::vector<owed> owed_;
  std::vector<int> reading_;  ///< reads from each rank that have not arrived
  std::size_t coming_ = 0;    ///< total size of reads that have not arrived
  std::vector<int> granted_;  ///< locks that each rank has granted
  std::vector<int> posted_;   ///< exposure epochs that each rank has announced
  std::vector<int> locked_;   ///< the lock held at each rank, or `promised`
  std::vector<int> started_;  ///< targets of the epoch that MPI_Win_start began
  bool has_started_ = false;  ///< whether there is such an epoch, since it may have no targets
  fenced fenced_ = fenced::nothing;
  int answers_ = 0;  ///< acknowledgements that have not arrived
  // The members that follow belong to this rank as a target.
  lock_state locks_;
  bool has_posted_ = false;
  int exposed_to_ = 0, completed_ = 0;
};

using window_ptr = std::shared_ptr<window>;

/// Returns the window of a handle; throws mpi_error for MPI_WIN_NULL.
const window_ptr& window_of(MPI_Win handle);

}  // namespace onehop::mpi_abi
