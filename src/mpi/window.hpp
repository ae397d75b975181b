#pragma once
/// A window is memory of every rank that the others read and write. Where they share it they do so
/// themselves, and where the kernel lets them they read what is long; else by packets, which the
/// rank whose memory it is carries out, in calls of MPI, in the order in which each of the others
/// has sent them.

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

/// A window_part is what a rank has given to a window.
struct window_part {
  std::uint64_t base;  ///< address in that rank's process
  std::int64_t bytes;
  std::int64_t unit;  ///< bytes of a step of a displacement
};

/// A one_sided_access says which elements of which rank's memory are meant.
struct one_sided_access {
  int rank;
  std::ptrdiff_t displacement;
  std::size_t count;
  const datatype_ptr& type;
};

/// Returns where a rank stands in lists of all ranks.
inline std::size_t slot_of(int rank) noexcept { return static_cast<std::size_t>(rank); }

class window {
 public:
  /// The constructor is collective over the ranks of `comm`, which no one else uses. The ranks may
  /// share the memory.
  window(communicator_ptr comm, int flavor, const window_part& mine,
         std::shared_ptr<const shared_parts> shared = nullptr);
  ~window();
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  const communicator_ptr& comm() const noexcept { return comm_; }
  int flavor() const noexcept { return flavor_; }
  const window_part& part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  /// Returns null where the ranks do not share the memory.
  const shared_parts* shared() const noexcept { return shared_.get(); }

  // Data that are read from the caller's memory are on their way, or copied, when these return;
  // what comes back has come after a flush, or when `done` is complete.
  void put(const typed_buffer& from, const one_sided_access& to);
  void get(const typed_buffer& into, const one_sided_access& from, request* done);
  void accumulate(const typed_buffer& from, const one_sided_access& to, MPI_Op how);
  void get_accumulate(const typed_buffer& from, const typed_buffer& into,
                      const one_sided_access& at, MPI_Op how, request* done);
  void compare_and_swap(const void* value, const void* compared, void* result,
                        const one_sided_access& at);

  /// Throws mpi_error unless an epoch lets this rank access another one's memory.
  void require_epoch(int rank);

  // Synchronization.
  /// Ends the accesses of all ranks, and where it `opens` lets them begin others.
  void fence(bool opens);
  /// Returns once everything is carried out that ranks have sent each other; throws mpi_error where
  /// an epoch lasts.
  void end_epochs();
  void flush(int rank);
  void flush_all();
  /// Throws mpi_error unless a lock of this rank, or any where it is -1, is held.
  void require_locked(int rank) const;
  /// A lock that need not be checked waits for nobody.
  void lock(int kind, int rank, bool checked);
  void unlock(int rank);
  void lock_all(bool checked);
  void unlock_all();
  void post(const group& origins);
  void start(const group& targets);
  void complete();
  void wait();
  bool test();

  /// Memory of this rank's alone that ends with the window.
  std::shared_ptr<void> memory;
  /// The window's predefined attributes have these values, and MPI_Win_get_attr gives their
  /// addresses.
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
  /// A piece is bytes that lie together at the target, as a displacement from its base.
  struct piece {
    std::int64_t place;
    std::uint64_t bytes;
  };
  /// A pending_read is data that come back from a target. Elements with gaps are gathered first;
  /// nothing is held for a read whose first data have not come, since a rank may begin any number
  /// of them.
  struct pending_read {
    int rank;
    datatype_ptr type;
    void* into;
    std::size_t bytes, left;
    request* done;
    std::vector<std::byte> packed{};
  };
  /// What this rank does not know of what it has sent to another: what comes back proves that all
  /// before it has been carried out.
  enum class owed : unsigned char { nothing, replies, answer };
  /// The lock of a rank that knows nothing of it.
  static constexpr int promised = 1;
  /// What the last MPI_Win_fence lets this rank do, and whether it has done so.
  enum class fenced : unsigned char { nothing, accesses, accessed };
  /// What ranks have locked of this rank's memory, and the others that want to.
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
  /// This rank carries out its accesses itself. In virtual time they are messages all the same,
  /// which take their time.
  bool is_direct_;

  // These belong to this rank as an origin.
  std::vector<owed> owed_;
  std::vector<int> reading_;  ///< reads of a rank that have not come back
  std::size_t coming_ = 0;    ///< bytes of reads that have not come back
  std::vector<int> granted_;  ///< locks that a rank has granted
  std::vector<int> posted_;   ///< exposures that a rank has told of
  std::vector<int> locked_;   ///< the lock that is held of a rank, or `promised`
  std::vector<int> started_;  ///< targets of the epoch that start has begun
  bool has_started_ = false;  ///< such an epoch, which may have no targets
  fenced fenced_ = fenced::nothing;
  int answers_ = 0;  ///< acknowledgements that are to come
  // These belong to it as a target.
  lock_state locks_;
  bool has_posted_ = false;
  int exposed_to_ = 0, completed_ = 0;
};

using window_ptr = std::shared_ptr<window>;

/// Returns the window of a handle; throws mpi_error for MPI_WIN_NULL.
const window_ptr& window_of(MPI_Win handle);

}  // namespace onehop::mpi_abi
